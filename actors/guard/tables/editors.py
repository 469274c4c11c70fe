"""Editors and pagers: each can run commands, from a flag, a line of input or a file's settings."""

ROWS = """
code, code-insiders, cursor | ask interactive | -h= -v= --list-extensions= | @
nvim, subl, atom, zed | ask interactive | -h= -v= | @
micro, kak, kakoune, xemacs, jed | ask interactive | -version= | @
vi, vim, view, gvim, vimdiff, ex, rvim, rview, nano, pico, emacs, emacsclient, ed, red, joe, mcedit, helix,
    hx, ne, gedit, kate, mousepad, idea, pycharm, webstorm | ask interactive | -h= | @
less, zless, more, most, pg, bzless, xzless | check pager | -o> -O> --log-file> --LOG-FILE> -k!
    --lesskey-file! --lesskey-src! --lesskey-content! -p: -P: -x: -b: -y: -t: -T< -j: -D: -h: -z: -#:
    --pattern: --tag: --prompt:
man             | reads | -P$ --pager$ -H$ --html$ -M! --manpath! -C! --config-file! -p! --preprocessor! -T!
    -t! -X! -Z! -l -L: -m: -s: -S: -e: -R: -r: -E:
info, pinfo | run | -o> --output> --restore! --init-file! --dribble> -f< --file< -n:
"""
