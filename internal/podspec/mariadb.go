package podspec

// MariaDBUser is the user and group of mariadbd in the public images.
const MariaDBUser int64 = 999
