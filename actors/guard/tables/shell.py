"""What the shell does itself."""

ROWS = """
:, true, false | run
echo            | run
printf          | check printf
pwd, dirs, times, type, help, suspend, return, exit, break, continue, shift, logout, unalias, fg, bg, caller
    | run
jobs            | run | -x!runs
history         | run | -c!deletes -d!deletes -w!overwrites -a!overwrites
wait            | run | -p!evaluates
which, whereis, whatis, apropos | run
test, [ | check test
cd, pushd, popd | enters
let             | check let
getopts         | check getopts
read, mapfile, readarray | check read | -C! -c: -p: -t: -u: -n: -N: -d: -i: -O: -s:
unset           | check unset
export, declare, typeset, local, readonly | check declare
set             | check set
shopt           | check shopt
hash            | none | -p!dynamic -r -t: -l
alias           | check alias
disown          | run
eval            | shell
source, . | ask runs_code check source
trap            | check trap
exec            | wrap 0 | -a:
builtin         | wrap
command         | wrap | -v~ -V~
complete        | ask runs | -p~
bind            | ask runs | -p~ -P~ -l~ -v~ -V~ -s~ -S~
enable          | ask program_naming | -p~ -a~
compopt         | ask runs
compgen         | run | -C$ -F!runs -W!evaluates -A: -G: -P: -S: -X: -o:
"""
