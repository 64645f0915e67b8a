#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the kernel tests of a build on Debian's other kernels, under QEMU without KVM.
#
#   tests/kernel/other_kernels.sh build/dev [release...]     (default: 5.10 6.1 6.12)
#
# Needs qemu-system-x86, busybox-static, cpio, and the package mirror that apt is set up for. Kernels
# are kept in a cache folder (CAIRN_KERNELS, default ~/.cache/cairn-kernels). Exit status: 0 if every
# test passed on every kernel. An emulated CPU is slow and shares ours: run it on a quiet machine.
set -eu

build=$(realpath "${1:?usage: $0 BUILD_FOLDER [RELEASE...]}")
shift
releases=("${@:-5.10}")
[ $# -gt 0 ] || releases=(5.10 6.1 6.12)
source=$(realpath "$(dirname "$0")")
cache=${CAIRN_KERNELS:-$HOME/.cache/cairn-kernels}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An apt of its own: the suites that hold the kernels, from the mirror that is set up already.
apt_options=(-o "Dir::Etc::SourceList=$cache/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o "Dir::State::Lists=$cache/apt/lists" -o "Dir::Cache=$cache/apt/cache"
	-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null)

prepare_apt() {
	local mirror suite

	[ ! -e "$cache/apt/ready" ] || return 0
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		grep '/debian/$' | head -n 1)
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial"
	for suite in bullseye bookworm bookworm-backports; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done > "$cache/apt/sources.list"
	apt-get "${apt_options[@]}" -qq update
	touch "$cache/apt/ready"
}

# Puts the newest kernel of RELEASE into the cache and prints its path.
kernel_of() {
	local release=$1 package image=$cache/vmlinuz-$1

	if [ ! -e "$image" ]; then
		prepare_apt
		package=$(apt-cache "${apt_options[@]}" search --names-only \
			"^linux-image-${release/./\\.}\\.[0-9].*-cloud-amd64$" | cut -d ' ' -f 1 | sort -V | tail -n 1)
		(cd "$work" && apt-get "${apt_options[@]}" -qq download "$package" &&
			dpkg-deb -x "$package"_*.deb "$package")
		cp "$work/$package"/boot/vmlinuz-* "$image"
	fi
	echo "$image"
}

# A root with busybox, the tests, what they link, and an init that runs them all.
make_root() {
	local root=$work/root file

	mkdir -p "$root"/{bin,proc,sys,dev,tmp,tests}
	cp "$(command -v busybox)" "$root/bin/busybox"
	for file in "$build"/tests/kernel/test_*; do
		cp "$file" "$root/tests/"
		ldd "$file" | grep -o '/[^ ]*' | sort -u | while read -r library; do
			mkdir -p "$root/$(dirname "$library")"
			cp -Lu "$library" "$root/$library"
		done
	done
	cp "$source/budget.txt" "$root/tests/"
	cat > "$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
sysctl -q kernel.kptr_restrict=0
echo "kernel $(uname -r)"
cd /tests
for test in ./test_*; do
	case $test in
	*budget) argument=budget.txt ;;
	*cpus) argument=switch-cpus ;;
	*sampling) argument=97 ;;
	*) argument= ;;
	esac
	$test $argument && echo "RESULT ok $test" || echo "RESULT FAILED $test"
done
echo "RESULT end"
poweroff -f
INIT
	chmod +x "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet) > "$work/initramfs"
}

make_root
status=0
# cx16=off: emulating cmpxchg16b on two CPUs, QEMU 7.2 now and then spoils the flags, and the kernel
# dies while it boots.
for release in "${releases[@]}"; do
	image=$(kernel_of "$release")
	timeout 600 qemu-system-x86_64 -accel tcg -cpu max,cx16=off -smp 2 -m 1024 -nographic -no-reboot \
		-kernel "$image" -initrd "$work/initramfs" \
		-append "console=ttyS0 quiet panic=-1" < /dev/null | tr -d '\r' | tee "$work/output"
	grep -q '^RESULT end' "$work/output" && ! grep -q '^RESULT FAILED' "$work/output" || status=1
done
exit $status
