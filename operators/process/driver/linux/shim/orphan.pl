# Carries out requests for a process whose shim is gone: nobody is its parent who could, so each signal goes to a handle that is
# checked to stand for the recorded process.
package Orphan;
use strict;
use warnings;
use Fcntl;

# Sends a signal. With a grace period in milliseconds, waits so long for the end and then kills everything that is in its cgroups;
# the signal "-" only does the latter.
sub run {
    my ($folder, $uid, $attempt, $signal, $grace) = @_;
    my $state = State->open_state("$folder/$uid/$attempt/state") or return;
    return if ($state->get('boot') // '') ne Kernel::boot_id();
    my ($pid, $ticks) = split /:/, $state->get('child') // '';
    my $handle = defined $pid && verified_handle($pid, $ticks);
    my $number = Kernel::signal_number($signal);
    send_signal($handle, $pid, $number) if $handle && $number;
    return if !defined $grace;
    if ($handle && !ends_within($handle, $pid, $ticks, $grace / 1000)) {
        send_signal($handle, $pid, 9);
        ends_within($handle, $pid, $ticks, 60);
    }
    my $cgroups = Cgroups->find(map { (split /=/, $_, 2)[1] } split / /, $state->get('cgroups') // '');
    Tree::kill_all($cgroups, 0);
    $cgroups->remove;
    sysopen my $events, "$folder/events", O_WRONLY | O_NONBLOCK or return;
    syswrite $events, "$uid $attempt\n";
}

# Handle of the process if it is still the one that was recorded; without support by the kernel, "none".
sub verified_handle {
    my ($pid, $ticks) = @_;
    my $handle = Kernel::open_process($pid);
    return if !$handle && $!{ESRCH};
    my $facts = Kernel::process_facts($pid);
    return if !$facts || $facts->{ticks} != $ticks || $facts->{state} eq 'Z';
    return $handle || 'none';
}

sub send_signal {
    my ($handle, $pid, $number) = @_;
    if   (ref $handle) { Kernel::signal_handle($handle, $number) }
    else               { kill $number, $pid }
}

sub ends_within {
    my ($handle, $pid, $ticks, $seconds) = @_;
    my $deadline = Kernel::monotonic() + $seconds;
    while (1) {
        my $left = $deadline - Kernel::monotonic();
        if (ref $handle) {
            vec(my $wanted = '', fileno $handle, 1) = 1;
            return 1 if select($wanted, undef, undef, $left > 0 ? $left : 0) > 0;
        }
        else {
            return 1 if !verified_handle($pid, $ticks);
            select undef, undef, undef, $left < 0.1 ? ($left > 0 ? $left : 0) : 0.1;
        }
        return 0 if $left <= 0;
    }
}

1;
