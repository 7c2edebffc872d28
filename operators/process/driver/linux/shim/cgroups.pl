# Control groups of an attempt. Fettle says which folders to create and what to write into them (cgroups.ts), so that nothing here
# depends on the version of cgroups.
package Cgroups;
use strict;
use warnings;

# The plan is a list of entries with four fields:
#   folder  PATH      KIND   -       create this one; the process joins it
#   set     FILE      VALUE  LIMIT   put a limit in force
#   freeze  FILE      VALUE  -       written before killing, so that there are no new processes
#   oom     FILE      -      -       has a line "oom_kill COUNT"
#   problem -         -      TEXT    a limit that is not in force, as Fettle knows already
sub create {
    my ($class, @plan) = @_;
    my $self = bless { folders => [], kinds => [], freeze => [], oom => undef, problems => [] }, $class;
    my %failed;
    while (my ($verb, $path, $value, $text) = splice @plan, 0, 4) {
        if ($verb eq 'problem') { push @{ $self->{problems} }, $text }
        elsif ($verb eq 'folder') {
            if (make_folder($path)) {
                push @{ $self->{folders} }, $path;
                push @{ $self->{kinds} },   $value;
            }
            else { $failed{$path} = lc "$!" }
        }
        else {
            my ($folder) = $path =~ m{^(.*)/};
            if (!$failed{$folder}) {
                $self->{oom} = $path if $verb eq 'oom';
                push @{ $self->{freeze} }, [ $path, $value ] if $verb eq 'freeze';
                next if $verb ne 'set' || Kernel::write_small($path, $value);
            }
            next if $verb ne 'set';
            push @{ $self->{problems} }, "$text is not in force: $path: " . ($failed{$folder} // lc "$!");
        }
    }
    return $self;
}

# Folders of a plan with their kinds, as they are recorded: "pids=/sys/fs/cgroup/pids/...".
sub planned {
    my (@plan) = @_;
    my @folders;
    while (my ($verb, $path, $kind) = splice @plan, 0, 4) {
        push @folders, "$kind=$path" if $verb eq 'folder';
    }
    return join ' ', @folders;
}

# For an attempt whose shim is gone: folders that exist.
sub find {
    my ($class, @folders) = @_;
    return bless { folders => [ grep { -d $_ } @folders ], freeze => [], problems => [] }, $class;
}

# Creates a folder and those above it. Another shim may be removing them because they are empty; then they are created again.
sub make_folder {
    my ($path) = @_;
    for my $try (1 .. 10) {
        return 1 if mkdir($path, 0755) || $!{EEXIST};
        return 0 if !$!{ENOENT};
        my ($above)   = $path =~ m{^(.*)/};
        my ($topmost) = $above =~ m{^(.*)/};
        mkdir $topmost, 0755;
        mkdir $above,   0755;
    }
    return 0;
}

# Cgroups of the same process that belong to attempts without a folder, which somebody deleted: nobody else knows what runs there.
# `attempts` is the folder with those of the attempts, `own` the number of the present one.
sub strays {
    my ($class, $attempts, $own, @plan) = @_;
    my ($first) = map { s/^[^=]*=//r } split / /, planned(@plan);
    my ($above, $uid) = ($first // '') =~ m{^(.*)/(.+)-\d+-\w+$} or return;
    opendir my $folder, $above or return;
    my @others = grep { /^\Q$uid\E-(\d+)-\w+$/ && ($1 == $own || !-e "$attempts/$1") } readdir $folder;
    return map { $class->find($_) } grep { $_ ne $first } map { "$above/$_" } @others;
}

sub folders { return @{ $_[0]{folders} } }

sub recorded {
    my ($self) = @_;
    return join ' ', map { "$self->{kinds}[$_]=$self->{folders}[$_]" } 0 .. $#{ $self->{folders} };
}

# Members of the first folder; all have the same.
sub processes {
    my ($self) = @_;
    my ($folder) = $self->folders;
    return if !defined $folder;
    return split /\n/, Kernel::read_small("$folder/cgroup.procs") // '';
}

sub freeze {
    my ($self) = @_;
    Kernel::write_small(@$_) for @{ $self->{freeze} };
}

sub oom_killed {
    my ($self) = @_;
    my $text = defined $self->{oom} ? Kernel::read_small($self->{oom}) // '' : '';
    return $text =~ /^oom_kill ([1-9]\d*)$/m ? 1 : 0;
}

# Removes the folders, and the two above them if no other attempt uses them. The kernel may need a moment to see that they are empty.
sub remove {
    my ($self) = @_;
    for my $folder ($self->folders) {
        for my $try (1 .. 200) {
            last if rmdir $folder or !$!{EBUSY};
            select undef, undef, undef, 0.005;
        }
        my ($above)   = $folder =~ m{^(.*)/};
        my ($topmost) = $above =~ m{^(.*)/};
        rmdir $topmost if rmdir $above;
    }
}

1;
