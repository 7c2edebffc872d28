# The shim: starts one process, owns its output, carries out what Fettle asks for, and records how it ended. It outlives Fettle.
package Supervise;
use strict;
use warnings;
use Errno ();
use Fcntl;
use POSIX ();

my $READ_SIZE = 16384;
# Waiting is ended by events; this is for the case that one is missed.
my $LONGEST_WAIT = 60;
# Grace period of a process whose folder was deleted, in seconds.
my $DELETED_GRACE = 10;
# Bytes of a stream that are still read when all known processes have ended, but somebody holds the other end.
my $DRAIN_LIMIT = 1 << 20;

sub run {
    my ($folder, $uid, $attempt, $oom_score) = @_;
    my $self = bless {
        folder  => "$folder/$uid/$attempt",
        events  => "$folder/events",
        event   => "$uid $attempt\n",
        streams => {},
        stop    => undef,
    }, __PACKAGE__;

    # Whoever renames this file first decides whether the attempt is started. Fettle does it to cancel the attempt.
    my $ticks = Kernel::process_facts($$)->{ticks};
    $self->{claim} = "$self->{folder}/claim.$$.$ticks";
    rename "$self->{folder}/unclaimed", $self->{claim} or return;
    Kernel::failpoint('after-claim');

    my $state = $self->{state} = State->open_state("$self->{folder}/state") or return;
    my $text = Kernel::read_small("$self->{folder}/launch");
    # It may have secrets.
    unlink "$self->{folder}/launch";
    Kernel::failpoint('after-launch-read');
    my $launch = Launch::parse($text // return $self->not_started('LaunchFailed', "The file launch could not be read: $!"));
    $0 = "fettle-shim $launch->{label}";
    $self->{log} = Log->new(folder => $self->{folder}, max_bytes => $launch->{max_bytes}, max_files => $launch->{max_files});

    $self->create_control
        or return $self->not_started('LaunchFailed', "The shim could not create $self->{folder}/control: $!");
    my $is_subreaper = Kernel::become_subreaper();
    # Before they are created, so that they can be removed if this process is killed.
    $state->set(shim => "$$:$ticks", cgroups => Cgroups::planned(@{ $launch->{cgroups} }));
    for my $stray (Cgroups->strays("$folder/$uid", $attempt, @{ $launch->{cgroups} })) {
        Tree::kill_all($stray, 0);
        $stray->remove;
    }
    my $cgroups = $self->{cgroups} = Cgroups->create(@{ $launch->{cgroups} });
    my $fields = $state->{fields};
    $fields->{tracking} = $cgroups->folders ? 'cgroup' : $is_subreaper ? 'subreaper' : 'none';
    $fields->{cgroups}  = $cgroups->recorded;
    $fields->{"limit$_"} = $cgroups->{problems}[$_] for 0 .. $#{ $cgroups->{problems} };
    Kernel::failpoint('after-cgroups');
    $self->start($launch, $oom_score) or return;
    $self->serve;
    $self->finish;
}

sub create_control {
    my ($self) = @_;
    my $path = "$self->{folder}/control";
    POSIX::mkfifo($path, 0600) && sysopen(my $control, $path, O_RDWR | O_NONBLOCK) or return 0;
    $self->{control} = $control;
    return 1;
}

# Forks the child, records it, and only then lets it go on: a process that runs is always recorded.
sub start {
    my ($self, $launch, $oom_score) = @_;
    my $number = $launch->{notify_descriptor};
    pipe my $out,    my $child_out;
    pipe my $err,    my $child_err;
    pipe my $notify, my $child_notify;
    pipe my $child_gate, my $gate;
    pipe my $status, my $child_status or return $self->not_started('LaunchFailed', "The shim could not create pipes: $!");
    open(my $null, '<', '/dev/null');

    my $pid = fork;
    return $self->not_started('LaunchFailed', "The system refused another process: $!") if !defined $pid;
    if ($pid == 0) {
        POSIX::setsid();
        # The end of the file means that the shim was killed before it could record this process.
        close $gate;
        my $byte = '';
        POSIX::_exit(0) if !sysread $child_gate, $byte, 1;
        my %descriptors = (0 => $null, 1 => $child_out, 2 => $child_err);
        $descriptors{$number} = $child_notify if $number ne '';
        Launch::execute(
            $launch,
            status      => $child_status,
            descriptors => \%descriptors,
            cgroups     => $self->{cgroups}{folders},
            oom_score   => $oom_score,
        );
    }
    Kernel::failpoint('after-fork');
    close $_ for $child_out, $child_err, $child_notify, $child_gate, $child_status, $null;
    close $notify if $number eq '';
    $self->{pid}     = $pid;
    $self->{handle}  = Kernel::open_process($pid);
    $self->{streams} = { stdout => $out, stderr => $err };
    $self->{notify}  = $notify if $number ne '';
    fcntl $_, F_SETFL, O_NONBLOCK for $out, $err, $notify;
    # The child waits, so it is there to be looked at.
    my $ticks = Kernel::process_facts($pid)->{ticks};
    $self->{state}->set(phase => 'launching', child => "$pid:$ticks", started => Kernel::now_milliseconds());
    Kernel::failpoint('after-record');
    syswrite $gate, '.';
    close $gate;
    Kernel::failpoint('after-gate');

    # The pipe is closed by a successful execution; otherwise there is a message in it.
    my $message = Kernel::read_pipe($status);
    if ($message ne '') {
        waitpid $pid, 0;
        $self->not_started(split /\0/, $message, 2);
        return 0;
    }
    $self->{state}->set(phase => 'running');
    $self->announce;
    Kernel::failpoint('after-running');
    return 1;
}

# Serves output, requests and the clock until the main process has ended. It is then a zombie: its number is still its own.
sub serve {
    my ($self) = @_;
    local $SIG{CHLD} = sub { $self->{child_ended} = 1 };
    while (1) {
        my $ready = $self->wait_for_events;
        if (delete $self->{child_ended}) { Tree::reap_others($self->{pid}) }
        $self->read_control if vec $ready, fileno $self->{control}, 1;
        $self->read_notify  if $self->{notify} && vec $ready, fileno $self->{notify}, 1;
        for my $name ('stdout', 'stderr') {
            my $stream = $self->{streams}{$name} or next;
            $self->read_stream($name) if vec $ready, fileno $stream, 1;
        }
        $self->check_deadline;
        $self->record_lost_lines;
        $self->check_files;
        return if $self->has_ended;
    }
}

# Bit vector of the descriptors that can be read.
sub wait_for_events {
    my ($self) = @_;
    my $wanted = '';
    vec($wanted, fileno $_, 1) = 1
        for grep { defined } $self->{control}, $self->{notify}, $self->{handle}, values %{ $self->{streams} };
    my $wait = $self->{handle} ? $LONGEST_WAIT : 0.2;
    if (my $stop = $self->{stop}) {
        my $left = $stop->{deadline} - Kernel::monotonic();
        $left = 0 if $left < 0;
        $wait = $left if !$stop->{killed} && $left < $wait;
    }
    $wait = 1 if $self->{unrecorded} && $wait > 1;
    my $ready = $wanted;
    my $count = select $ready, undef, undef, $wait;
    return $count > 0 ? $ready : '';
}

sub has_ended {
    my ($self) = @_;
    if ($self->{handle}) {
        vec(my $wanted = '', fileno $self->{handle}, 1) = 1;
        return select($wanted, undef, undef, 0) > 0;
    }
    return Kernel::process_facts($self->{pid})->{state} eq 'Z';
}

# Returns the number of bytes; 0 when there are none at the moment or any more.
sub read_stream {
    my ($self, $name) = @_;
    my $bytes = '';
    my $count = sysread $self->{streams}{$name}, $bytes, $READ_SIZE;
    if ($count) { $self->{log}->append($name, $bytes) }
    elsif (defined $count) { delete $self->{streams}{$name} }
    return $count // 0;
}

sub read_notify {
    my ($self) = @_;
    my $bytes = '';
    my $count = sysread $self->{notify}, $bytes, $READ_SIZE;
    # What comes after the first line is read and ignored, so that the process does not wait for us.
    if ($count && $bytes =~ /\n/ && !$self->{state}->get('notified')) {
        $self->{state}->set(notified => 1);
        $self->announce;
    }
    delete $self->{notify} if defined $count && $count == 0;
}

# Requests, one per line: "stop SIGTERM 10000 Suspended" (milliseconds of grace, reason) and "signal SIGHUP".
sub read_control {
    my ($self) = @_;
    my $text = '';
    sysread $self->{control}, $text, 65536 or return;
    for my $line (split /\n/, $text) {
        if ($line =~ /^signal (\S+)$/) { $self->signal_main($1) }
        if ($line =~ /^stop (\S+) (\d+) (\S+)$/) { $self->stop($1, $2 / 1000, $3) }
    }
}

sub stop {
    my ($self, $signal, $grace, $reason) = @_;
    my $deadline = Kernel::monotonic() + $grace;
    my $before   = $self->{stop};
    $deadline = $before->{deadline} if $before && $before->{deadline} < $deadline;
    $self->{stop} = { signal => $signal, deadline => $deadline, killed => $before && $before->{killed} };
    $self->{state}->set(stopping => $reason) if !$before;
    Kernel::failpoint('after-stopping');
    # Programs take a second signal as a request to hurry, so only another one is sent. A suspended process could not obey.
    if (!$before || $before->{signal} ne $signal) {
        $self->signal_main($signal);
        $self->signal_main('SIGCONT');
    }
    Kernel::failpoint('after-stop-signal');
    $self->announce;
}

sub check_deadline {
    my ($self) = @_;
    my $stop = $self->{stop};
    return if !$stop || $stop->{killed} || Kernel::monotonic() < $stop->{deadline};
    $stop->{killed} = 1;
    $self->{cgroups}->freeze;
    $self->signal_main('SIGKILL');
    Kernel::failpoint('after-kill');
}

# The main process has not been waited for, so its number cannot belong to another.
sub signal_main {
    my ($self, $name) = @_;
    my $number = Kernel::signal_number($name);
    kill $number, $self->{pid} if $number;
}

# Restores files that somebody deleted. Without its folder Fettle does not know of this process, and starts another one, whose folder may
# have the same name: this one is stopped.
sub check_files {
    my ($self) = @_;
    my $time = Kernel::monotonic();
    return if $time < ($self->{checked} // 0) + 1;
    $self->{checked} = $time;
    if (-e $self->{claim}) {
        $self->{state}->restore;
        $self->{log}->restore;
        $self->create_control if !-e "$self->{folder}/control";
    }
    # Not if it was only moved.
    elsif ($self->{state}->is_deleted && !$self->{stop}) { $self->stop('SIGTERM', $DELETED_GRACE, 'Deleted') }
}

# Writes lost lines to the state, but not every one of them.
sub record_lost_lines {
    my ($self, $now) = @_;
    my $log = $self->{log};
    return if ($self->{lost} // 0) == $log->{lost};
    $self->{unrecorded} = 1;
    my $time = Kernel::monotonic();
    return if !$now && $time < ($self->{lost_recorded} // 0) + 1;
    $self->{lost_recorded} = $time;
    $self->{lost}          = $log->{lost};
    $self->{unrecorded}    = 0;
    $self->{state}->set(lost => $log->{lost}, lostReason => $log->{reason});
}

# Records the exit code, kills what is left, reads the last output, and records the end.
sub finish {
    my ($self) = @_;
    my $pid = $self->{pid};
    # As long as the main process was not waited for, its process group is its own.
    my $leftovers = Tree::living($self->{cgroups}, $pid);
    kill 'KILL', -$pid;
    waitpid $pid, 0;
    my ($signal, $code) = ($? & 127, $? >> 8);
    $self->{state}->set(
        phase => 'ending',
        at    => Kernel::now_milliseconds(),
        oom   => $self->{cgroups}->oom_killed,
        $signal ? (cause => 'Signaled', signal => Kernel::signal_name($signal)) : (cause => 'Exited', code => $code),
    );
    Kernel::failpoint('after-ending');
    my $read_all = sub {
        for my $name ('stdout', 'stderr') {
            my $bytes = 0;
            while ($bytes < $DRAIN_LIMIT && $self->{streams}{$name}) {
                my $count = $self->read_stream($name) or last;
                $bytes += $count;
            }
        }
    };
    my $killed = Tree::kill_all($self->{cgroups}, $pid, $read_all);
    Kernel::failpoint('after-leftovers');
    $read_all->();
    $self->read_notify if $self->{notify};
    $self->{log}->finish;
    $self->record_lost_lines(1);
    $self->end(leftovers => $leftovers > $killed ? $leftovers : $killed, oom => $self->{cgroups}->oom_killed);
}

sub not_started {
    my ($self, $reason, $message) = @_;
    $self->end(cause => 'NotStarted', reason => $reason, message => $message // '', at => Kernel::now_milliseconds(), started => '');
}

# The control pipe goes first: whoever finds it without a reader must look at the state.
sub end {
    my ($self, %fields) = @_;
    $self->{cgroups}->remove if $self->{cgroups};
    unlink "$self->{folder}/control" if -e $self->{claim};
    $self->{state}->set(phase => 'exited', %fields);
    Kernel::failpoint('after-exited');
    $self->announce;
    return 0;
}

# Tells a Fettle that listens that there is something to read in this folder.
sub announce {
    my ($self) = @_;
    sysopen my $events, $self->{events}, O_WRONLY | O_NONBLOCK or return;
    syswrite $events, $self->{event};
    close $events;
}

1;
