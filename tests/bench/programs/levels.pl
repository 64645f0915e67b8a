# SPDX-License-Identifier: Apache-2.0
# Runs for ever: calls, sorting by a block, regular expressions and hashes.
use strict;
use warnings;

my $state = 1;

sub following {
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return $state;
}

sub leaf {
	my @words = map { sprintf('%x-%d', following(), $_) } 1 .. 60;
	my %counts;
	for my $word (sort { length $a <=> length $b || $a cmp $b } @words) {
		$counts{$1}++ if $word =~ /^([0-9a-f]+?)(?:[a-f]|\d-)/;
	}
	return scalar keys %counts;
}

sub level {
	my ($depth) = @_;
	return leaf() if $depth == 0;
	return level($depth - 1) + $depth;
}

level(20) while 1;
