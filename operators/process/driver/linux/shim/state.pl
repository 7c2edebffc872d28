# Record of an attempt, shared with Fettle, which only reads it. The file has its full size before the attempt begins and is
# rewritten in place by one write, so that an exit code can be recorded when the disk is full. Readers see by the checksum if
# they read during a write.
package State;
use strict;
use warnings;
use Fcntl;

my $SIZE        = 4096;
my $HEADER_SIZE = 16;

sub open_state {
    my ($class, $path) = @_;
    sysopen(my $file, $path, O_RDWR) or return;
    my $self = bless { path => $path, file => $file, fields => {} }, $class;
    $self->load;
    return $self;
}

sub load {
    my ($self) = @_;
    sysseek $self->{file}, $HEADER_SIZE, 0;
    my $body = '';
    sysread $self->{file}, $body, $SIZE;
    while ($body =~ /^(\w+) (.*)$/mg) { $self->{fields}{$1} = decode($2) }
}

sub get {
    my ($self, $key) = @_;
    return $self->{fields}{$key};
}

# Changes fields and writes all of them. Keys that sort last are dropped if they do not fit.
sub set {
    my ($self, %changes) = @_;
    my $fields = $self->{fields};
    $fields->{$_} = $changes{$_} for keys %changes;
    my $body = "\n";
    for my $key (sort keys %$fields) {
        my $line = "$key " . encode($fields->{$key}) . "\n";
        $body .= $line if length($body) + length($line) <= $SIZE - $HEADER_SIZE;
    }
    $body .= "\n" x ($SIZE - $HEADER_SIZE - length $body);
    my $header = sprintf 'fettle1 %08x', unpack '%32N*', $body;
    sysseek $self->{file}, 0, 0;
    syswrite $self->{file}, $header . $body;
}

# Creates the file again if somebody deleted it.
sub restore {
    my ($self) = @_;
    return if !$self->is_deleted;
    sysopen(my $file, $self->{path}, O_RDWR | O_CREAT, 0600) or return;
    $self->{file} = $file;
    $self->set;
}

sub is_deleted { return !(stat $_[0]{file})[3] }

# At most 700 bytes, on one line.
sub encode {
    my ($text) = @_;
    $text = substr($text, 0, 697) . '...' if length $text > 700;
    $text =~ s/([\x00-\x1f%\x7f])/sprintf '%%%02X', ord $1/ge;
    return $text;
}

sub decode {
    my ($text) = @_;
    $text =~ s/%([0-9A-F]{2})/chr hex $1/ge;
    return $text;
}

1;
