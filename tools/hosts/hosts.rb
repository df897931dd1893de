# Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that URI reads; see parsers.py.
require "uri"

STDIN.each_line do |line|
  host = URI.parse([line.chomp].pack("H*").force_encoding("UTF-8")).host
  puts host.nil? || host.empty? ? "-" : "=" + host.unpack1("H*")
rescue URI::Error
  puts "!"
end
