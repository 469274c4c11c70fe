"""Shells, here and on other machines."""

ROWS = """
sh, bash, dash, ksh, ash, rbash, mksh, yash | check stop shell | -c -o: +o: -O: +O: --rcfile! --init-file!
    -n -e -u -x -v -l -i -s -f -a -b -h -m -p -r -t -B -C -E -H -P -T -D --login --norc --noprofile --posix
    --verbose --restricted --noediting --debugger! --dump-strings --pretty-print + closed
zsh             | check stop shell | -c -o: +o: -e -u -x -v -l -i -s -f -n + --no-rcs --version closed
tcsh, csh | ask runs_code check stop foreign_shell | -c: --version!runs_code --help!runs_code
fish, nu, xonsh, elvish | ask runs_code check stop foreign_shell | -c: --command: -n~ --no-execute~
dbclient, mosh, autossh, sshpass | ask remote check stop ssh | -i: -p: -l: -o: -F: -L: -R: -D: -J: -b: -c:
    -e: -f: -M: -m: -V=
ssh, slogin | ask remote check stop ssh | -i: -p: -l: -o: -F:!runs -L: -R: -D: -J: -b: -c: -e: -m: -w: -W:
    -E: -I: -O: -Q~ -S: -B: -V~ -G~ -P: -v -q -4 -6 -A -a -C -f -g -K -k -M -N -n -s -T -t -X -x -Y -y
rsync           | ask outward | --version~ -n~ --dry-run~ -a -v -z -r -h -P -i -u -c -t -l -p -g -o -D -H -A
    -X -x -q --archive --verbose --recursive --delete --progress --stats --itemize-changes --human-readable
    --exclude: --include: --exclude-from< --partial --checksum --update --compress --size-only -e!runs
    --rsh!runs --rsync-path!runs --password-file<
scp, sftp, rcp, unison, sshfs, pscp, croc, wormhole | ask outward | --version~
ssh-agent       | ask runs
ssh-keygen, ssh-add | ask secret | -l~ -f: -v -E: -L~ -F~
rsh, rlogin, rexec, telnetd | ask remote
"""
