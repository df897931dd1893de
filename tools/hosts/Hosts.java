// Answers each line of standard input, a text as UTF-8 in hexadecimal, with the host that java.net.URI reads, or with
// the argument `url` java.net.URL; see parsers.py.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

public class Hosts {
    public static void main(String[] arguments) throws Exception {
        boolean isUrl = arguments.length > 0 && arguments[0].equals("url");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        StringBuilder answers = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String text = new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8);
            try {
                String host = isUrl ? new URL(text).getHost() : new URI(text).getHost();
                boolean isNone = host == null || host.isEmpty();
                answers.append(isNone ? "-" : "=" + HexFormat.of().formatHex(host.getBytes(StandardCharsets.UTF_8)));
            } catch (MalformedURLException | URISyntaxException error) {
                answers.append("!");
            }
            answers.append('\n');
        }
        new PrintStream(System.out, false, StandardCharsets.US_ASCII).append(answers).flush();
    }
}
