"""Git and the forges' command lines."""

ROWS = """
git             | menu check git | -C% -c: --git-dir: --work-tree: --namespace: --exec-path!git_config
    --config-env!git_config --super-prefix: --attr-source: --list-cmds: -p -P --paginate --no-pager --bare
    --no-replace-objects --literal-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --html-path
    --man-path --info-path --version -v --help -h closed
gitk, tig, lazygit, gitui | ask interactive

# Look
git status, git ls-files, git ls-tree, git rev-parse, git rev-list, git name-rev, git describe, git cat-file
    | run
git blame, git annotate | reads | --contents< -L: -S: --date: --ignore-rev: --ignore-revs-file<
git shortlog    | run | --output>
git show-ref, git for-each-ref, git merge-base, git cherry, git show-branch, git var | run
git help        | run | -w!runs --web!runs
git version, git count-objects, git fsck, git check-ignore, git check-attr, git check-mailmap, git patch-id
    | run
git verify-commit, git verify-tag, git check-ref-format, git merge-tree, git column, git stripspace, git
    get-tar-commit-id | run
git rerere      | menu
git rerere status, git rerere diff, git rerere remaining | run
git log, git whatchanged, git diff, git show, git range-diff, git diff-tree, git diff-index, git diff-files,
    git reflog show, git stash show | reads | --output> --ext-diff!runs -O< --format: --grep: --author:
    --since: --until: -n: -S: -G: -L: --pretty:
git grep        | pattern | -O!runs --open-files-in-pager!runs -e: -f< -A: -B: -C: -m: --max-depth:
    --threads:
git ls-remote   | check git_url | --upload-pack!runs --exec!runs -o: --server-option: --sort:
git archive     | run | -o> --output> --exec!runs --remote!outward
git request-pull | run

# Change the index, add commits and branches
git add         | run | -i!interactive -p!interactive -e!interactive --interactive!interactive
    --patch!interactive --edit!interactive --chmod: --pathspec-from-file<
git commit      | run | -m: --message: -F< --file< -C: -c: --reuse-message: --reedit-message: --fixup:
    --squash: --author: --date: -t< --template< --cleanup: --trailer: --amend!rewrites -p!interactive
    --patch!interactive --interactive!interactive --pathspec-from-file<
git mv          | moves
git switch      | run | -f!discards --force!discards --discard-changes!discards -C!rewrites
    --force-create!rewrites -m!discards --merge!discards -c: --create: --orphan!discards
git checkout    | check git_checkout | -b: --orphan!discards -B!rewrites -f!discards --force!discards
    -m!discards --merge!discards -p!interactive --patch!interactive --pathspec-from-file<
    --conflict!discards --ours!discards --theirs!discards -2!discards -3!discards
git restore     | check git_restore | -s: --source: -p!interactive --pathspec-from-file<
git reset       | check git_reset | --hard!discards --merge!discards --keep!discards -p!interactive
    --patch!interactive --pathspec-from-file<
git branch      | run | -D!rewrites -d!rewrites --delete!rewrites -m!rewrites -M!rewrites --move!rewrites -c
    -C!rewrites --copy -f!rewrites --force!rewrites --edit-description!interactive -u!git_config
    --set-upstream-to!git_config --unset-upstream!git_config --format: --sort: --contains: --merged:
    --no-merged: --points-at: --no-contains: --list --show-current
git tag         | run | -d!rewrites --delete!rewrites -f!rewrites --force!rewrites -m: --message: -F<
    --file< -u: --local-user: --format: --sort: --contains: --merged: --points-at: -n --cleanup:
git merge       | run | --abort!discards --quit!discards -m: -F< -s!runs --strategy!runs -X:
    --strategy-option: --into-name: --cleanup: --autostash
git init        | writes | --template!git_config --separate-git-dir!git_config -b: --initial-branch:
    --object-format: --ref-format:
git stash       | menu check git_stash
git stash list  | run
git stash create | run
git worktree    | menu |
git worktree list | run
git notes       | menu
git notes list, git notes show | run
git reflog      | menu | -n: --max-count: --date: --format: --all
git reflog *    | run
git bisect      | menu
git bisect log, git bisect view, git bisect visualize | run
git remote      | menu | -v --verbose
git remote show, git remote get-url | check git_url
git submodule   | menu
git submodule status, git submodule summary | run
git config      | check git_config_command | --get~ --get-all~ --get-regexp~ --get-urlmatch~ --list~ -l~
    --get-color~ --get-colorbool~ --show-origin --show-scope --name-only --null -z --local --global --system
    --worktree -f: --file: --blob: --type: --default: --unset!git_config --unset-all!git_config
    --add!git_config --replace-all!git_config --rename-section!git_config --remove-section!git_config
    -e!interactive --edit!interactive
git config list, git config get | run
git bundle      | menu
git bundle verify, git bundle list-heads | run
git lfs         | menu
git lfs ls-files, git lfs status, git lfs env, git lfs version | run
git sparse-checkout | menu
git sparse-checkout list | run
git format-patch | run | -o> --output-directory> --output> --stdout
git apply       | ask overwrites | --check~ --stat~ --numstat~ --summary~ | @
git send-email, git imap-send | ask outward
git difftool, git mergetool, git gui, git citool, git instaweb | ask interactive

git symbolic-ref | check git_symbolic_ref | -d!rewrites --delete!rewrites -m:

# Fetch
git fetch       | check git_url | --upload-pack!runs -f!rewrites --force!rewrites -o: --server-option:
    --depth: --deepen: --shallow-since: --shallow-exclude: -j: --jobs: --filter: --refmap:
    --recurse-submodules --prune -p --prune-tags!rewrites -P!rewrites
git pull        | check git_url | --upload-pack!runs -f!rewrites --force!rewrites -r!rewrites
    --rebase!rewrites -s!runs --strategy!runs -X: --depth:
git clone       | check git_clone | -c!git_config --config!git_config -u!runs --upload-pack!runs
    --template!git_config --separate-git-dir!git_config -b: --branch: -o: --origin: --depth: --reference!
    --reference-if-able! -j: --jobs: --filter: --shallow-since: --shallow-exclude: --server-option:
    --bundle-uri!

# Not to be taken back, or run by others
git push        | ask outward | -n~ --dry-run~ -o: --push-option: --repo: --receive-pack! --exec! -u
    --set-upstream --tags --all -v -q --follow-tags --porcelain
git rm          | ask deletes | --cached~ -n~ --dry-run~ -r -f -q --force --quiet --ignore-unmatch
git clean       | ask deletes | -n~ --dry-run~ -d -x -X -f --force -q -e: --exclude:
git rebase, git cherry-pick, git revert, git am, git filter-branch, git filter-repo, git replace, git
    update-ref | ask rewrites
git gc, git prune, git repack, git reflog expire, git reflog delete, git reflog drop, git reflog write, git
    stash drop, git stash clear, git worktree remove, git worktree prune, git remote prune | ask rewrites
git stash pop, git stash apply, git stash push, git stash save, git stash branch, git checkout-index, git
    read-tree | ask discards
git bisect start, git bisect good, git bisect bad, git bisect reset, git bisect skip | ask discards
git bisect run, git submodule foreach, git submodule update, git submodule add, git submodule deinit, git
    submodule init, git submodule sync, git submodule absorbgitdirs, git maintenance, git hook, git daemon,
    git shell, git credential, git upload-pack, git receive-pack | ask runs
git remote add, git remote remove, git remote rm, git remote rename, git remote set-url, git remote
    set-head, git remote set-branches, git remote update | ask git_config
git config set, git config unset, git config edit, git config rename-section, git config remove-section |
    ask git_config
git worktree add, git worktree move, git worktree lock, git worktree unlock, git worktree repair, git notes
    add, git notes remove, git notes append, git notes edit, git sparse-checkout set, git sparse-checkout
    disable, git bundle create, git bundle unbundle, git lfs pull, git lfs install, git lfs track, git lfs
    push, git lfs fetch, git lfs prune | ask git_config

# Forges
gh, glab, hub | menu | -R: --repo:
gh pr, gh issue, gh repo, gh run, gh release, gh workflow, gh gist, gh label, gh secret, gh variable, gh
    cache, gh project, gh search, gh auth, gh config, gh extension, gh ruleset, gh org, gh codespace | menu
    | -R: --repo:
gh pr list, gh pr view, gh pr status, gh pr diff, gh pr checks, gh issue list, gh issue view, gh issue
    status, gh repo list, gh repo view, gh run list, gh run view, gh run watch, gh release list, gh release
    view, gh workflow list, gh workflow view, gh gist list, gh gist view, gh label list, gh secret list, gh
    variable list, gh cache list, gh project list, gh project view, gh search *, gh config list, gh
    extension list, gh ruleset list, gh ruleset view, gh org list, gh codespace list, gh status, gh version,
    gh help | run | -w!interactive --web!interactive
gh config get   | menu
gh config get editor, gh config get git_protocol, gh config get pager, gh config get browser, gh config get
    prompt | run
gh auth status  | run | -t!secret --show-token!secret
gh api          | check gh_api | -X: --method: -f!outward -F!outward --field!outward --raw-field!outward
    --input!outward -H: --header: -q: --jq: -t: --template: --hostname! -p: --cache:
glab mr, glab issue, glab ci, glab pipeline, glab repo, glab release | menu
glab mr list, glab mr view, glab mr diff, glab issue list, glab issue view, glab ci list, glab ci status,
    glab ci view, glab pipeline list, glab repo view, glab release list | run
hg, svn | menu | shared --config!runs --config-option!runs --config-dir!runs --diff-cmd!runs
    --diff3-cmd!runs --editor-cmd!runs -R!runs --repository!runs --cwd%
hg status, hg log, hg diff, hg summary, hg branch, hg branches, hg tags, hg id, svn status, svn log, svn
    info, svn diff, svn list | run
"""
