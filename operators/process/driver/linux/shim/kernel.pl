# Calls of the Linux kernel for which Perl's base installation has no function, and facts from /proc.
package Kernel;
use strict;
use warnings;
use Config;
use POSIX ();

# Numbers of system calls differ between architectures, except those that were added after 2019.
my %NUMBERS = (
    x86_64      => { clock_gettime => 228,  prctl => 157 },
    aarch64     => { clock_gettime => 113,  prctl => 167 },
    riscv64     => { clock_gettime => 113,  prctl => 167 },
    loongarch64 => { clock_gettime => 113,  prctl => 167 },
    i386        => { clock_gettime => 265,  prctl => 172 },
    i686        => { clock_gettime => 265,  prctl => 172 },
    arm         => { clock_gettime => 263,  prctl => 172 },
    powerpc64le => { clock_gettime => 246,  prctl => 171 },
    powerpc64   => { clock_gettime => 246,  prctl => 171 },
    s390x       => { clock_gettime => 260,  prctl => 172 },
    mips64el    => { clock_gettime => 5222, prctl => 5153 },
);
my $PIDFD_SEND_SIGNAL      = 424;
my $PIDFD_OPEN             = 434;
my $PR_SET_CHILD_SUBREAPER = 36;

# The architecture for which Perl was built, which may be older than that of the kernel. x32 has numbers of its own.
my ($architecture) = $Config{archname} =~ /^([^-]+)-(?!.*x32)/;
my $numbers = $NUMBERS{ $architecture // '' } // {};

# Seconds and microseconds of CLOCK_REALTIME (0) or CLOCK_MONOTONIC (1); nothing if the architecture is not in the table.
sub clock {
    my ($which) = @_;
    my $number = $numbers->{clock_gettime};
    return if !defined $number;
    my $time = pack 'l! l!', 0, 0;
    return if syscall($number, $which, $time) != 0;
    my ($seconds, $nanoseconds) = unpack 'l! l!', $time;
    return ($seconds, int($nanoseconds / 1000));
}

# Wall-clock time as seconds and microseconds.
sub now {
    my @time = clock(0);
    return @time ? @time : (time, 0);
}

sub now_milliseconds {
    my ($seconds, $microseconds) = now();
    return $seconds * 1000 + int($microseconds / 1000);
}

# Seconds since some moment; goes on evenly when somebody sets the clock.
sub monotonic {
    my @time = clock(1);
    return $time[0] + $time[1] / 1e6 if @time;
    my ($uptime) = split / /, read_small('/proc/uptime') // '0';
    return $uptime;
}

# Makes this process the parent of descendants whose own parent ended. Returns false where that is not possible.
sub become_subreaper {
    my $number = $numbers->{prctl};
    return 0 if !defined $number;
    return syscall($number, $PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

# Handle that stands for one process, even if its number is used again; it is readable when the process has ended.
sub open_process {
    my ($pid) = @_;
    my $descriptor = syscall($PIDFD_OPEN, $pid + 0, 0);
    return if $descriptor < 0;
    open(my $handle, '<&=', $descriptor) or return;
    return $handle;
}

sub signal_handle {
    my ($handle, $number) = @_;
    return syscall($PIDFD_SEND_SIGNAL, fileno($handle), $number + 0, 0, 0) == 0;
}

# Whole text of a small file; nothing if it cannot be read.
sub read_small {
    my ($path) = @_;
    open(my $file, '<', $path) or return;
    my $text = '';
    while (1) {
        my $count = sysread $file, $text, 4096, length $text;
        return if !defined $count;
        last   if $count == 0;
    }
    close $file;
    return $text;
}

# Everything that comes through a pipe until its other end is closed.
sub read_pipe {
    my ($pipe) = @_;
    my $text = '';
    while (1) {
        my $count = sysread $pipe, $text, 4096, length $text;
        last if defined $count ? $count == 0 : !$!{EINTR};
    }
    return $text;
}

# Returns false and sets $! if the file could not be written.
sub write_small {
    my ($path, $text) = @_;
    open(my $file, '>', $path) or return 0;
    my $count = syswrite $file, $text;
    my $error = $!;
    close $file;
    $! = $error;
    return defined $count && $count == length $text;
}

# State letter, parent, session and start time of a process. Its name, which comes before them, may contain anything.
sub process_facts {
    my ($pid) = @_;
    my $text = read_small("/proc/$pid/stat") or return;
    my @fields = split / /, substr $text, rindex($text, ')') + 2;
    return { state => $fields[0], parent => $fields[1], session => $fields[3], ticks => $fields[19] };
}

sub boot_id {
    my $text = read_small('/proc/sys/kernel/random/boot_id') // '';
    chomp $text;
    return $text;
}

# Names of numbers in a folder of /proc.
sub numbered {
    my ($path) = @_;
    opendir my $folder, $path or return;
    return grep { /^\d+$/ } readdir $folder;
}

# Numbers of the children of a process.
sub children {
    my ($pid) = @_;
    my @lists = map { read_small("/proc/$pid/task/$_/children") } numbered("/proc/$pid/task");
    return map { split / / } grep { defined } @lists if -e "/proc/self/task/$$/children";
    # Kernels without these files: ask all processes for their parent.
    return grep { (process_facts($_) // { parent => 0 })->{parent} == $pid } numbered('/proc');
}

sub descendants {
    my ($pid) = @_;
    my @all;
    my @next = children($pid);
    while (@next) {
        push @all, @next;
        @next = map { children($_) } @next;
    }
    return @all;
}

my @SIGNALS = qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU
    URG XCPU XFSZ VTALRM PROF WINCH POLL PWR SYS);
my %number_of = map { $_ => signal_constant($_) } @SIGNALS;
my %name_of   = map { $number_of{$_} => "SIG$_" } grep { $number_of{$_} } @SIGNALS;

sub signal_constant {
    my ($name) = @_;
    my %others = (STKFLT => 16, WINCH => 28, PWR => 30);
    no strict 'refs';
    return eval { &{"POSIX::SIG$name"}() } // $others{$name} // 0;
}

# Number of a signal such as SIGTERM or SIGRTMIN+3; 0 if there is none.
sub signal_number {
    my ($name) = @_;
    return POSIX::SIGRTMIN() + ($1 // 0) if $name =~ /^SIGRTMIN(?:\+(\d{1,2}))?$/;
    return $name =~ /^SIG(\w+)$/ ? $number_of{$1} // 0 : 0;
}

sub signal_name {
    my ($number) = @_;
    return $name_of{$number} // 'SIGRTMIN+' . ($number - POSIX::SIGRTMIN());
}

# Ends this process as if somebody had killed it, so that tests can do so after every single step.
sub failpoint {
    my ($name) = @_;
    kill 'KILL', $$ if ($ENV{FETTLE_SHIM_FAILPOINT} // '') eq $name;
}

1;
