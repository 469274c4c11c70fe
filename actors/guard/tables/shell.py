"""What the shell does itself."""

ROWS = """
:, true, false  | run
echo            | run
printf          | check printf
pwd, dirs, jobs, times, type, help, history, wait, suspend, return, exit, break, continue, shift, logout |
    run | -c!deletes -d!deletes -w!overwrites
which, whereis, whatis, apropos | run | -p!
test, [         | check test
cd, pushd       | check cd
popd            | check popd
let             | check let
read, mapfile, readarray, getopts | check read | -C! -c: -p: -t: -u: -n: -N: -d: -i: -O: -s:
unset           | check unset
export, declare, typeset, local, readonly | check declare
set             | check set
shopt           | check shopt
hash            | none | -p!dynamic -r -t: -l
alias           | check alias
unalias, fg, bg | none
disown          | run
eval            | shell
source, .       | check source
trap            | check trap
exec            | wrap 0 | -a:
builtin         | wrap
command         | wrap | -v~ -V~
complete, compopt, bind, enable, caller, compgen | ask runs
coproc          | wrap
"""
