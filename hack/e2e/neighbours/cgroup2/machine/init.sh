#!/bin/bash
# The first process of the machine: two control groups with limits, a server in one, its load in the other.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
end() { sync; echo o >/proc/sysrq-trigger; sleep 60; }
trap end EXIT
set -eux
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir /run/out
mount -t hostfs -o "/host$work/out" hostfs /run/out
ip link set lo up
echo "+cpu +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control

# limited NAME CPU MEMORY PROGRAM... runs a program as a container's: it sees its own control group as the only one.
limited() {
	local group=/sys/fs/cgroup/$1
	mkdir "$group"
	echo "$2" >"$group/cpu.max"
	echo "$3" >"$group/memory.max"
	echo "$BASHPID" >"$group/cgroup.procs"
	shift 3
	exec unshare --cgroup --mount bash -euc \
		'umount /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup; exec "$@"' - "$@"
}

mkdir /run/db
(limited server "50000 100000" 512M "$work/mongod" --dbpath /run/db --bind_ip 127.0.0.1 --nounixsocket) >/run/out/server.log 2>&1 &
(limited load "30000 100000" 192M "$work/loadgen" run -f "$work/run.yaml" --uri mongodb://127.0.0.1:27017 \
	--selection-timeout 5m -o /run/out/results) >/run/out/load.log 2>&1
# A program that asks for more memory than its group has is killed.
(limited greedy "50000 100000" 32M tail /dev/zero) && exit 1
for group in server load greedy; do
	for file in cpu.stat memory.events memory.peak; do
		cp "/sys/fs/cgroup/$group/$file" "/run/out/$group.$file"
	done
done
cat /proc/filesystems >/run/out/filesystems
