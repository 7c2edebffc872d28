#!/usr/bin/perl
# Runs processes for Fettle. Needs only what Debian's essential package perl-base has.
#
#   shim.pl serve FOLDER   forks a shim for each request on standard input, until that is closed. All shims share the memory of the
#                          compiled program.
#   shim.pl probe          runs a command for a probe; the launch comes on descriptor 3, and closing that ends the command.
#
# Files, in the order in which a process meets them: launch.pl (child), supervise.pl (shim), log.pl, state.pl, cgroups.pl, tree.pl.
use strict;
use warnings;
use Errno ();
use Fcntl qw(:DEFAULT :flock);
use File::Basename ();
use POSIX ();

my $here = File::Basename::dirname(__FILE__);
require "$here/$_.pl" for qw(kernel state log launch cgroups tree supervise orphan);

my $mode = shift @ARGV // '';
if    ($mode eq 'serve') { serve(@ARGV) }
elsif ($mode eq 'probe') { probe() }
else                     { die "usage: shim.pl serve FOLDER | probe\n" }
exit 0;

# Requests: "start UID ATTEMPT", "orphan UID ATTEMPT SIGNAL [GRACE]". Answers: "ready", "locked", "failed UID ATTEMPT MESSAGE".
sub serve {
    my ($folder) = @_;
    close_inherited();
    umask 077;
    chdir '/';
    # Two instances of Fettle in one folder would take each other's events. The lock is gone when this process is.
    sysopen my $lock, "$folder/lock", O_RDWR | O_CREAT or return answer("failed - - $folder/lock: $!");
    flock $lock, LOCK_EX | LOCK_NB or return answer('locked');
    -p "$folder/events" or POSIX::mkfifo("$folder/events", 0600) or return answer("failed - - $folder/events: $!");

    # Shims are the last that the kernel should kill when memory is short: they know the exit codes. Their children start as before.
    my $oom_score = Kernel::read_small('/proc/self/oom_score_adj');
    my $protected = defined $oom_score && $oom_score > -500 && Kernel::write_small('/proc/self/oom_score_adj', -500);
    $SIG{CHLD} = 'IGNORE';
    $SIG{$_} = 'IGNORE' for qw(PIPE TERM INT HUP QUIT USR1 USR2 ALRM XFSZ);
    answer('ready');

    my $requests = '';
    while (sysread STDIN, $requests, 65536, length $requests) {
        while ($requests =~ s/^([^\n]*)\n//) {
            my ($verb, $uid, $attempt, @more) = split / /, $1;
            my $pid = fork;
            answer("failed $uid $attempt The system refused another process: $!") if !defined $pid;
            next if !defined $pid || $pid;
            detach($lock);
            Supervise::run($folder, $uid, $attempt, $protected ? $oom_score : undef) if $verb eq 'start';
            Orphan::run($folder, $uid, $attempt, @more) if $verb eq 'orphan';
            POSIX::_exit(0);
        }
    }
}

sub answer {
    my ($text) = @_;
    syswrite STDOUT, "$text\n";
}

# Cuts every tie to the server and to Fettle.
sub detach {
    my ($lock) = @_;
    close $lock;
    POSIX::setsid();
    open STDIN,  '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    $SIG{CHLD} = 'DEFAULT';
}

# Descriptors that Fettle itself inherited and passed on.
sub close_inherited {
    opendir my $folder, '/proc/self/fd' or return;
    my @numbers = grep { /^\d+$/ && $_ > 2 } readdir $folder;
    closedir $folder;
    POSIX::close($_) for @numbers;
}

# Exits as the command does. Its process group never outlives it.
sub probe {
    open my $request, '<&=', 3 or die "descriptor 3: $!\n";
    # The length of the launch, the launch itself, and then only the end of the file.
    my $text = '';
    until ($text =~ /^(\d+)\n/ && length $text >= $1 + length $&) {
        sysread $request, $text, 65536, length $text or exit 0;
    }
    my $launch = Launch::parse($text =~ s/^\d+\n//r);
    pipe my $status, my $child_status;
    open my $null, '<', '/dev/null';
    Kernel::become_subreaper();
    my $pid = fork // die "The system refused another process: $!\n";
    if ($pid == 0) {
        POSIX::setsid();
        Launch::execute($launch, status => $child_status, descriptors => { 0 => $null, 1 => \*STDOUT, 2 => \*STDERR });
    }
    close $child_status;
    my $message = Kernel::read_pipe($status);
    my $handle = Kernel::open_process($pid);
    while (Kernel::process_facts($pid)->{state} ne 'Z') {
        my $wanted = '';
        vec($wanted, fileno $_, 1) = 1 for grep { defined } $request, $handle;
        next if select($wanted, undef, undef, $handle ? undef : 0.05) <= 0 || !vec $wanted, 3, 1;
        kill 'KILL', $pid;
        last;
    }
    kill 'KILL', -$pid;
    waitpid $pid, 0;
    my $ended = $?;
    Tree::kill_all(Cgroups->find, $pid);
    if ($message ne '') {
        syswrite STDERR, (split /\0/, $message, 2)[1];
        POSIX::_exit(127);
    }
    if ($ended & 127) {
        $SIG{ signal_key($ended & 127) } = 'DEFAULT';
        kill $ended & 127, $$;
    }
    POSIX::_exit($ended >> 8);
}

sub signal_key { return substr Kernel::signal_name($_[0]), 3 }
