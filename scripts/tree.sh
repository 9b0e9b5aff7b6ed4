# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# tree.sh - root trees of Debian suites, for matrix.sh: made by mmdebstrap, entered in namespaces of their own.
#
# Nothing is mounted for anybody else: the mounts of a tree are made in a mount namespace that ends with the
# command that is run there, and so do the processes that the command leaves, by a process namespace. /dev is a
# few nodes of this system's, /sys is this system's and read-only; the rest is the tree's. Root needs the right
# to mount; an ordinary user needs user namespaces and a range in /etc/subuid, and gets the same.
#
# A function that finds that there is nothing to go on with calls `cannot`, which the including script defines.

tree_packages="mmdebstrap debian-archive-keyring"

# Sets `own`, the command that runs another in namespaces of its own, and `mode`, mmdebstrap's word for it.
tree_rights() {
    own="unshare --mount --pid --fork --kill-child --propagation private"
    mode=root
    if [ "$(id -u)" != 0 ]; then
        own="unshare --user --map-root-user --map-auto ${own#unshare }"
        mode=unshare
        tree_packages="$tree_packages uidmap"
    fi
    # shellcheck disable=SC2086
    $own sh -c 'mount -t tmpfs none /mnt && mount -t proc none /mnt' 2>/dev/null && return 0
    [ "$mode" = root ] || cannot "neither root nor user namespaces here: a tree cannot be entered" \
        "(see user_namespaces(7); /etc/subuid must have a range for this user)"
    cannot "no right to mount here, though root: a tree cannot be entered"
}

# What a tree's apt is told: this system's time-outs, proxies and dates, and to keep what it fetches.
apt_settings() {
    echo 'Acquire::Retries "3";'
    echo 'APT::Keep-Downloaded-Packages "true";'
    echo 'APT::Sandbox::User "root";'
    ! command -v apt-config >/dev/null 2>&1 ||
        apt-config dump 2>/dev/null |
        grep -E '^Acquire::(Check-|http|https|Max-ValidTime)[^ ]* "[^"]+";$' || :
}

# remove_tree TREE: refuses while something is mounted there, which only a stranger can have done.
remove_tree() {
    [ -e "$1" ] || return 0
    ! grep -qF " $1/" /proc/self/mountinfo || die "something is mounted below $1; it is not removed"
    # shellcheck disable=SC2086
    $own rm -rf --one-file-system "$1"
}

# make_tree SUITE TREE LOG [MIRROR]. Through an archive, for a user's mmdebstrap numbers the owners of files
# otherwise than the namespace does in which the tree is used.
make_tree() {
    remove_tree "$2"
    mkdir -p "$2"
    apt_settings >"$2.apt"
    if ! mmdebstrap --mode="$mode" --variant=minbase --include=ca-certificates --format=tar \
        --aptopt="$2.apt" "$1" "$2.tar" ${4:+"$4"} >"$3" 2>&1; then
        why=$(grep -m 1 -A 1 -E '^Err:' "$3" | sed 1d | sed 's/^ *//')
        [ -n "$why" ] || why=$(grep -m 1 -E '^E: ' "$3" || tail -n 1 "$3")
        rm -f "$2.tar"
        cannot "suite $1 cannot be had: there is no such suite, or no network. mmdebstrap says: $why"
    fi
    # shellcheck disable=SC2086
    $own tar --numeric-owner -C "$2" --exclude='./dev/*' -xf "$2.tar"
    rm -f "$2.tar"
}

# inside TREE PACKAGES COMMAND: a shell's command in /src of the tree. PACKAGES is where its apt keeps what it
# has fetched. Names of the network are looked up as here.
inside() {
    mkdir -p "$2/partial"
    # shellcheck disable=SC2016,SC2086
    $own sh -c '
        set -e
        tree=$1
        mkdir -p "$tree/src" "$tree/dev"
        mount -t tmpfs -o mode=755 none "$tree/dev"
        for node in null zero full random urandom tty; do
            : >"$tree/dev/$node"
            mount --bind "/dev/$node" "$tree/dev/$node"
        done
        mkdir "$tree/dev/pts" "$tree/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none "$tree/dev/pts"
        mount -t tmpfs -o mode=1777 none "$tree/dev/shm"
        ln -s pts/ptmx "$tree/dev/ptmx"
        ln -s /proc/self/fd "$tree/dev/fd"
        for number in 0 1 2; do
            ln -s "/proc/self/fd/$number" "$tree/dev/$(echo "stdin stdout stderr" | cut -d " " -f $((number + 1)))"
        done
        mount -t proc none "$tree/proc"
        mount --rbind /sys "$tree/sys"
        mount -o remount,bind,ro "$tree/sys" 2>/dev/null || :
        mount --bind "$2" "$tree/var/cache/apt/archives"
        cp -L /etc/resolv.conf /etc/hosts "$tree/etc/" 2>/dev/null || :
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TERM=dumb \
            ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
            ${no_proxy:+"no_proxy=$no_proxy"} DEBIAN_FRONTEND=noninteractive \
            chroot "$tree" sh -c "cd /src || exit 1
$3
exit \$?"
    ' inside "$1" "$2" "$3"
}
