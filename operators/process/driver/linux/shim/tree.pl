# Finds and kills what the main process of an attempt leaves behind.
package Tree;
use strict;
use warnings;

# Kills everything in the cgroups and all descendants of this process, until nothing is left. Returns how many there were.
# `except` is the main process: it has ended, but its number must stay in use until it is no longer needed as that of a group.
sub kill_all {
    my ($cgroups, $except, $meanwhile) = @_;
    $cgroups->freeze;
    my %killed;
    my $pause = 0.001;
    while (1) {
        my @pids = living($cgroups, $except);
        # A number could be used again between finding it and the signal. A handle cannot; and what is found again after the handle was
        # opened is what the handle stands for.
        my %handles;
        for my $pid (@pids) {
            my $handle = Kernel::open_process($pid);
            $handles{$pid} = $handle if $handle;
            last if keys %handles >= 200;
        }
        my @again = living($cgroups, $except);
        if (!@again) {
            reap_others($except);
            last if !living($cgroups, $except);
        }
        for my $pid (@again) {
            if    ($handles{$pid})                 { Kernel::signal_handle($handles{$pid}, 9) }
            elsif (!Kernel::open_process($$))      { kill 'KILL', $pid }
            else                                   { next }
            $killed{$pid} = 1;
        }
        reap_others($except);
        $meanwhile->() if $meanwhile;
        select undef, undef, undef, $pause;
        $pause = $pause * 2 < 1 ? $pause * 2 : 1;
    }
    return scalar keys %killed;
}

# Members of the cgroups and descendants of this process that have not ended.
sub living {
    my ($cgroups, $except) = @_;
    my %pids = map { $_ => 1 } $cgroups->processes, Kernel::descendants($$);
    delete $pids{$_} for $except, $$;
    return grep { (Kernel::process_facts($_) // { state => 'X' })->{state} !~ /[ZX]/ } keys %pids;
}

# Takes note of the end of processes that became children of this one because their parent ended.
sub reap_others {
    my ($except) = @_;
    for my $pid (Kernel::children($$)) {
        waitpid $pid, POSIX::WNOHANG() if $pid != $except;
    }
}

1;
