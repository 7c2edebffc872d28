# Log of an attempt in the format of Kubernetes' container runtimes, one line or piece of a line each:
#
#   2026-01-02T03:04:05.678901Z stdout F text
#
# F ends a line, P goes on in the next entry of the same stream. Files are numbered (log.1, log.2, ...); the highest number is
# the current one. Numbers do not move when files are rotated, so a reader always knows which file comes next.
package Log;
use strict;
use warnings;
use Fcntl;
use POSIX ();

my $PIECE = 16384;
# Entries are written together up to this size; a file can become longer than its limit by so much.
my $BATCH = 65536;

sub new {
    my ($class, %options) = @_;
    return bless {
        folder    => $options{folder},
        max_bytes => $options{max_bytes},
        max_files => $options{max_files},
        number    => 0,
        size      => 0,
        partial   => { stdout => '', stderr => '' },
        lost      => 0,
        reason    => '',
    }, $class;
}

# Takes bytes that the process wrote, and writes the lines that are complete.
sub append {
    my ($self, $stream, $bytes) = @_;
    $self->stamp;
    my $rest = $self->{partial}{$stream} . $bytes;
    my $batch = '';
    my $start = 0;
    while (1) {
        my $end = index $rest, "\n", $start;
        my $length = ($end < 0 ? length $rest : $end) - $start;
        if ($length > $PIECE) {
            $batch .= $self->entry($stream, 'P', substr $rest, $start, $PIECE);
            $start += $PIECE;
        }
        elsif ($end < 0) { last }
        else {
            $batch .= $self->entry($stream, 'F', substr $rest, $start, $length);
            $start = $end + 1;
        }
        if (length $batch >= $BATCH) {
            $self->write_entries($batch);
            $batch = '';
        }
    }
    $self->{partial}{$stream} = substr $rest, $start;
    $self->write_entries($batch) if $batch ne '';
}

# Writes the last line of each stream, if it does not end with a line feed.
sub finish {
    my ($self) = @_;
    $self->stamp;
    for my $stream ('stdout', 'stderr') {
        my $rest = $self->{partial}{$stream};
        $self->write_entries($self->entry($stream, 'F', $rest)) if $rest ne '';
        $self->{partial}{$stream} = '';
    }
}

sub stamp {
    my ($self) = @_;
    my ($seconds, $microseconds) = Kernel::now();
    $self->{time} = POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $seconds) . sprintf '.%06dZ', $microseconds;
}

sub entry {
    my ($self, $stream, $flag, $text) = @_;
    return "$self->{time} $stream $flag $text\n";
}

# Writes whole entries: if the disk is full, the last one that was written in part is cut off again. Entries that are complete stay,
# because somebody may have read them.
sub write_entries {
    my ($self, $batch) = @_;
    $self->rotate if !$self->{file} || $self->{size} >= $self->{max_bytes};
    my $kept = 0;
    if ($self->{file}) {
        my $count = syswrite $self->{file}, $batch;
        if (defined $count && $count == length $batch) {
            $self->{size} += $count;
            return;
        }
        $self->{reason} = defined $count ? 'no space left on device' : lc "$!";
        $kept = rindex(substr($batch, 0, $count // 0), "\n") + 1;
        $self->{size} += $kept;
        truncate $self->{file}, $self->{size} if $count;
    }
    # Pieces of lines count, too; nobody needs that number to be exact for lines of more than 16 KiB.
    $self->{lost} += (substr($batch, $kept) =~ tr/\n//);
}

# Begins the next file if somebody deleted the present one.
sub restore {
    my ($self) = @_;
    $self->rotate if $self->{file} && !(stat $self->{file})[3];
}

# Begins the next file. Deletes the oldest one first, which may be the space that is needed. If there is none for a new file, goes
# on with the present one.
sub rotate {
    my ($self) = @_;
    my $next   = $self->{number} + 1;
    my $oldest = $next - $self->{max_files};
    unlink "$self->{folder}/log.$oldest" if $oldest > 0 && $self->{max_files} > 1;
    if (!sysopen my $file, "$self->{folder}/log.$next", O_WRONLY | O_CREAT | O_APPEND, 0600) {
        $self->{reason} = lc "$!";
    }
    else {
        $self->{file}   = $file;
        $self->{size}   = 0;
        $self->{number} = $next;
        unlink "$self->{folder}/log.$oldest" if $oldest > 0;
    }
}

1;
