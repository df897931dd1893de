# Answers questions on standard input by URI and URI::Find, one a line: a word, then texts as UTF-8 in hexadecimal.
# An answer is a line of texts in the same form; `-` stands for one that is absent, `!` alone for an error.
use strict;
use warnings;
use URI ();
use URI::Split ();

my $finds = eval { require URI::Find; 1 };
$URI::ABS_REMOTE_LEADING_DOTS = 1;    # RFC 3986 5.2.4 instead of RFC 2396, as the documentation of URI says
$SIG{__WARN__} = sub { };
$| = 1;

my %answers = (
    versions => sub { ( $URI::VERSION, $finds ? $URI::Find::VERSION : undef ) },
    split    => sub { ( URI::Split::uri_split( $_[0] ) )[ 0 .. 4 ] },
    resolve  => sub { URI->new( $_[1] )->abs( $_[0] )->as_string },
    form     => sub { URI->new( $_[0] )->canonical->as_string },
    same     => sub { URI->new( $_[0] )->eq( URI->new( $_[1] ) ) ? "1" : "0" },
    to_uri   => sub { URI->new( $_[0] )->as_string },
    to_iri   => sub { URI->new( $_[0] )->as_iri },
    found    => sub {
        my ( $text, @found ) = ( $_[0] );
        URI::Find->new( sub { push @found, $_[1]; $_[1] } )->find( \$text );
        @found;
    },
);

while ( my $line = <STDIN> ) {
    chomp $line;
    my ( $question, @texts ) = split / /, $line;
    for my $text (@texts) { $text = pack "H*", $text; utf8::decode($text) }
    my @answer = eval { $answers{$question}->(@texts) };
    if ($@) {
        print "!\n";
        next;
    }
    for my $text (@answer) {
        if ( defined $text ) { $text = "$text"; utf8::encode($text); $text = "=" . unpack "H*", $text }
        else                 { $text = "-" }
    }
    print "@answer\n";
}
