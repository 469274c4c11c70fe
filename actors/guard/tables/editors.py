"""Editors and pagers: each can run commands, from a flag, a line of input or a file's settings."""

ROWS = """
vi, vim, nvim, view, gvim, vimdiff, ex, rvim, rview, nano, pico, micro, emacs, emacsclient, xemacs, ed, red,
    joe, jed, mcedit, helix, hx, kak, kakoune, ne, code, code-insiders, cursor, subl, atom, gedit, kate,
    mousepad, idea, pycharm, webstorm, zed | ask interactive | -h= --list-extensions= --show-versions
    -version= -v= | @
less, zless, more, most, pg, bzless, xzless | check pager | -o> -O> --log-file> --LOG-FILE> -k!
    --lesskey-file! --lesskey-src! -p: -P: -x: -b: -y: -t: -T< -j: -D: -h: -z: -#: --pattern: --tag:
    --prompt:
man             | run | -P$ --pager$ -H$ --html$ -M! --manpath! -C! --config-file! -p! --preprocessor! -T!
    -t! -X! -Z! -l: -L: -m: -s: -S: -e: -R: -r: -E:
info, pinfo     | run | -o> --output> --restore! --init-file! --dribble> -f< --file< -n:
"""
