"""Shells, here and on other machines."""

ROWS = """
sh, bash, dash, ksh, ash, rbash, mksh, yash | check stop shell | -c -o: +o: -O: +O: --rcfile! --init-file!
    -n -e -u -x -v -l -i -s -f -a -b -h -m -p -r -t -B -C -E -H -P -T -D --login --norc --noprofile --posix
    --verbose --restricted --noediting --debugger! --dump-strings --pretty-print + closed
zsh, fish, tcsh, csh, nu, xonsh, elvish | check stop foreign_shell | -c: --command: -n~ --no-execute~
    --version~ -v~
ssh, slogin, dbclient, mosh, autossh, sshpass | check stop ssh | -i: -p: -l: -o: -F: -L: -R: -D: -J: -b: -c:
    -e: -m: -w: -W: -E: -I: -O: -Q~ -S: -B: -V~ -P:
scp, sftp, rsync, rcp, unison, sshfs, pscp, croc, wormhole | ask outward | --version~
ssh-keygen, ssh-add, ssh-agent | ask secret | -l~ -lf~
ssh-keyscan     | run
rsh, rlogin, rexec, telnetd | ask remote
"""
