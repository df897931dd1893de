# Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that URI reads; see parsers.py.
use strict;
use warnings;
use URI ();

$SIG{__WARN__} = sub { };
if (@ARGV) { print "$URI::VERSION\n"; exit }
while ( my $line = <STDIN> ) {
    chomp $line;
    my $text = pack "H*", $line;
    utf8::decode($text);
    my $host = eval {
        my $made = URI->new($text);
        $made->can("host") ? $made->host : undef;
    };
    if ($@) { print "!\n"; next }
    if ( !defined $host || $host eq "" ) { print "-\n"; next }
    utf8::encode($host) if utf8::is_utf8($host);
    print "=", unpack( "H*", $host ), "\n";
}
