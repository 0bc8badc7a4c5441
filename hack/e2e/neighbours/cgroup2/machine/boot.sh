# Boots the kernel: boot.sh SYSTEM WORK. SYSTEM holds it with the C library that it needs, and WORK what it is to do. It sees
# the files of this machine, which it may not change but for WORK/out.
set -euo pipefail
system=$1 work=$2
mount --make-rprivate /
ln -sfn usr/lib "$system/lib"
ln -sfn usr/lib64 "$system/lib64"
mkdir -p "$system"/{host,proc,dev,tmp}
mount --rbind / "$system/host"
mount --rbind /proc "$system/proc"
mount --rbind /dev "$system/dev"
mount -t tmpfs tmpfs "$system/tmp"
# What it keeps of itself, its memory too, goes with this mount.
export HOME=/tmp TMPDIR=/tmp
exec chroot "$system" /usr/bin/linux.uml seccomp=on mem=1536M \
	rootfstype=hostfs rootflags=/host ro init="$work/init.sh" work="$work" con=null con0=null,fd:1
