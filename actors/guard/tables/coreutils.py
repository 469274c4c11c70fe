"""GNU coreutils and their neighbours: files, directories, the machine."""

ROWS = """
# Print something that is known or given
basename, dirname, seq, yes, sleep, whoami, id, groups, users, who, w, uname, arch, hostid, uptime, nproc,
    tty, logname, factor, expr | run
getent          | check getent
pathchk, tput, clear, reset, locale, getconf, cal, ncal, free, vmstat, iostat, mpstat, lscpu, lsblk, lsusb,
    lspci, lsmod | run
printenv, sync, numfmt | run
hostname, domainname, dnsdomainname | none | -F!service --file!service -b!service
date            | check date | -s!service --set!service -d: --date: -f< --file< -r< --reference< -I?

# Read files
cat, tac, nl, od, wc, cksum, md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum, sum, fold,
    fmt, expand, unexpand, tsort | reads
cut             | reads | -d: -f: -c: -b: --output-delimiter:
head, tail | reads | -n: -c: --lines: --bytes: --pid: -s:
paste           | reads | -d:
join            | reads | -t: -1: -2: -j: -a: -v: -o: -e:
comm, cmp | reads
pr              | reads | -h: -l: -w: -o: -s:
col, colrm | run
rev, column, ul, hexdump, hd, strings | reads
stat, readlink, realpath, namei, ls, dir, vdir, exa, eza, lsd, df | lists | -I: --ignore: -w: --hide: -T:
lsattr, getfacl, getfattr | lists
du              | lists | -d: --max-depth: --exclude: -X< -t: -B:
tr              | run
base64, base32, basenc | reads | -w: --wrap:
file            | reads | -m: -f<
tree            | lists | -o> -L: -P: -I: --filelimit:
diff, colordiff | reads | --to-file< --from-file< -x: -U: -C: -I: -W: --exclude: --label: -L: -X<
diff3           | reads | --diff-program$
sdiff           | reads | -o> --output> --diff-program$
sort            | reads | -o> --output> --compress-program$ --files0-from< -T> --temporary-directory> -k:
    --key: -t: --field-separator: -S: --buffer-size: --parallel: --batch-size: --random-source< --sort:
shuf            | reads | -o> --output> -n: -i: --random-source<
uniq            | check uniq | -f: -s: -w: --skip-fields: --skip-chars: --check-chars:
xxd             | check xxd | -c: -g: -l: -s: -o: -n:

# Make or change files
tee, mkfifo | writes
touch           | writes | -r< --reference< -d: -t: --date:
mkdir           | writes | -m: --mode: -Z:
mktemp          | check mktemp | -p> --tmpdir> --suffix: -t:
split           | check split | --filter$ -a: -b: -C: -l: -n: --additional-suffix: -t:
csplit          | ask overwrites
cp              | copies | -t> --target-directory> -S: --suffix: -s!program_naming
    --symbolic-link!program_naming -l!program_naming --link!program_naming
mv              | moves | -t> --target-directory> -S: --suffix:
ln              | check ln | -t> --target-directory> -S: --suffix: -f!overwrites --force!overwrites
link            | moves
install         | copies | -t> --target-directory> -m: -o!permissions -g!permissions --owner!permissions
    --group!permissions -d> --directory> --strip-program$ -S:
dd              | check dd

# Remove, empty, change rights
rm, rmdir, unlink, shred, srm, wipe, rimraf, trash, trash-put | ask deletes
truncate, fallocate | ask overwrites
chmod           | check chmod
chown, chgrp, chattr, setfacl, setfattr, chcon, restorecon, setcap | ask permissions
mknod, mkswap, mkfs, mke2fs, mkfs.ext4, mkfs.xfs, mkfs.btrfs, mkfs.vfat, wipefs, blkdiscard, fdisk, sfdisk,
    parted, gdisk, lvremove, cryptsetup | ask service | -V= --version=
umask, ulimit | run
stty            | none
chroot          | wrap 1 privilege
"""
