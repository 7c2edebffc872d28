# Turns a forked child into the program that was asked for. Everything that can fail is explained in words, since Fettle shows them
# to people.
package Launch;
use strict;
use warnings;
use Errno ();
use Fcntl;
use POSIX ();

my $DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

# Reads the fields that Fettle wrote, in its order (launch-file.ts): NUL-separated, lists with their length in front.
sub parse {
    my ($text) = @_;
    my @fields = split /\0/, $text, -1;
    my %launch;
    $launch{$_} = shift @fields
        for qw(version label user group working_dir notify_descriptor max_bytes max_files);
    $launch{argv}    = [ splice @fields, 0, shift @fields ];
    $launch{env}     = [ splice @fields, 0, shift @fields ];
    $launch{cgroups} = [ splice @fields, 0, shift @fields ];
    return \%launch;
}

# Never returns. `descriptors` maps numbers in the program to handles. A failure is written to `status` as "reason\0message".
sub execute {
    my ($launch, %with) = @_;
    my ($reason, $message) = eval { prepare_and_execute($launch, %with) };
    ($reason, $message) = ('LaunchFailed', "Could not be started: $@") if $@;
    syswrite $with{status}, "$reason\0$message";
    POSIX::_exit(127);
}

# Returns reason and message of a failure.
sub prepare_and_execute {
    my ($launch, %with) = @_;
    for my $folder (@{ $with{cgroups} // [] }) {
        next if Kernel::write_small("$folder/cgroup.procs", '0');
        return ('LimitFailed', "Could not join the cgroup $folder: $!");
    }
    Kernel::write_small('/proc/self/oom_score_adj', $with{oom_score}) if defined $with{oom_score};
    $SIG{$_} = 'DEFAULT' for grep { !/^(KILL|STOP|NUM\d+|IOT|CLD|UNUSED)$/ } keys %SIG;
    POSIX::sigprocmask(POSIX::SIG_SETMASK(), POSIX::SigSet->new);
    umask 022;
    my @failure = switch_account($launch);
    return @failure if @failure;

    my $folder = $launch->{working_dir} eq '' ? '/' : $launch->{working_dir};
    if (!chdir $folder) {
        my $denied = $!{EACCES} ? 'may not be entered by the user of the process' : lc "$!";
        $denied = 'does not exist' if $!{ENOENT};
        return ('InvalidWorkingDir', "The working folder $folder $denied");
    }
    # The status pipe must not have a number that the program gets; from 256 on there are none.
    my $status = POSIX::dup2(fileno $with{status}, 256) && 256;
    open(my $moved, '>&=', $status) or return ('LaunchFailed', "Could not open a descriptor: $!");
    fcntl $moved, F_SETFD, FD_CLOEXEC;
    my @numbers = sort { $a <=> $b } keys %{ $with{descriptors} };
    # First all to high numbers and then to their places, so that none overwrites another that is still needed.
    my %high = map { $_ => POSIX::dup2(fileno $with{descriptors}{$_}, 512 + $_) } @numbers;
    POSIX::dup2($high{$_}, $_), POSIX::close($high{$_}) for @numbers;

    %ENV = map { split /=/, $_, 2 } @{ $launch->{env} };
    my @argv = @{ $launch->{argv} };
    my ($path, $problem) = find_program($argv[0]);
    if (defined $path) {
        no warnings 'exec';
        exec {$path} @argv;
        $problem = exec_problem($path);
    }
    syswrite $moved, join "\0", @$problem;
    POSIX::_exit(127);
}

# Path of a program, or undef and the problem.
sub find_program {
    my ($name) = @_;
    return ($name) if $name =~ m{/};
    my $path = $ENV{PATH} // $DEFAULT_PATH;
    my $found;
    for my $folder (split /:/, $path) {
        my $candidate = ($folder eq '' ? '.' : $folder) . "/$name";
        next if !-f $candidate;
        return ($candidate) if -x _;
        $found //= $candidate;
    }
    return (undef, [ 'NotExecutable', "$found is not executable: use chmod +x $found" ]) if defined $found;
    return (undef, [ 'CommandNotFound', "Command not found: there is no $name in PATH ($path)" ]);
}

sub exec_problem {
    my ($path) = @_;
    my $text = lc "$!";
    if ($!{ENOENT} || $!{ENOTDIR}) {
        return [ 'CommandNotFound', "Command not found: $path does not exist" ] if !-e $path;
        return [ 'CommandNotFound', "Command not found: the interpreter that $path names in its first line does not exist" ];
    }
    if ($!{EACCES}) {
        return [ 'NotExecutable', "$path is a folder, not a program" ] if -d $path;
        return [ 'NotExecutable', "$path is not executable by the user of the process: use chmod +x $path" ];
    }
    return [ 'LaunchFailed', 'The arguments and environment variables are too long for the system' ] if $!{E2BIG};
    return [ 'NotPermitted', "$path may not be executed: $text" ] if $!{EPERM};
    return [ 'LaunchFailed', "$path could not be executed: $text" ];
}

# Switches to the user and group. Returns reason and message of a failure.
sub switch_account {
    my ($launch) = @_;
    my ($user, $group) = ($launch->{user}, $launch->{group});
    return if $user eq '' && $group eq '';
    my ($uid, $gid, $name) = ($>, $) + 0, undef);
    # The system would cut off higher bits, and 4294967296 would be root.
    return ('UnknownUser', "$_ is not the number of a user or group: use one below 4294967295")
        for grep { /^\d+$/ && $_ >= 4294967295 } $user, $group;
    if ($user ne '') {
        my @account = $user =~ /^\d+$/ ? getpwuid $user : getpwnam $user;
        if (@account) { ($name, $uid, $gid) = @account[ 0, 2, 3 ] }
        # Without an entry in the user database the group has the same number.
        elsif ($user =~ /^\d+$/) { ($uid, $gid) = ($user, $user) }
        else { return ('UnknownUser', "There is no user $user on this machine: create it, or name another") }
    }
    if ($group ne '') {
        my $found = $group =~ /^\d+$/ ? $group : getgrnam $group;
        return ('UnknownUser', "There is no group $group on this machine: create it, or name another") if !defined $found;
        $gid = $found;
    }
    return if $> == $uid && $) + 0 == $gid && $> != 0;
    if ($> != 0) {
        my $own = getpwuid($>) // $>;
        my $wanted = $user ne '' ? "user $user" : "group $group";
        return ('NotPermitted', "Fettle runs as user $own and cannot switch to $wanted: run Fettle as root, or leave it out");
    }
    my @groups = defined $name ? groups_of($name, $gid) : ($gid);
    $! = 0;
    $) = join ' ', $gid, @groups;
    my $failed = $! ? "$!" : '';
    POSIX::setgid($gid);
    POSIX::setuid($uid);
    if ($failed ne '' || $< != $uid || $> != $uid || $( + 0 != $gid || $) + 0 != $gid) {
        return ('NotPermitted', "Could not switch to user $uid and group $gid: " . ($failed || lc "$!"));
    }
    return;
}

sub groups_of {
    my ($name, $gid) = @_;
    my %groups = ($gid => 1);
    setgrent;
    while (my @entry = getgrent) {
        $groups{ $entry[2] } = 1 if grep { $_ eq $name } split / /, $entry[3];
    }
    endgrent;
    return sort { $a <=> $b } keys %groups;
}

1;
