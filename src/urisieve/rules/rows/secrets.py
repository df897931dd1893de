"""The rows of secrets in links: names of parameters, shapes of values, and paths of webhooks.

A row has the product, where its form is documented, an example with the secret in it, and a link that resembles it and
has none. The forms are those by which the products are known; some were compared with the rules of a public scanner of
secrets (gitleaks). As of 2026-11.
"""

from __future__ import annotations

from urisieve.lean import Final, NamedTuple


class SecretRow(NamedTuple):
    """One kind of secret.

    Attributes:
        name: a short name, unique.
        product: whose it is.
        reference: where it is documented.
        sure: how names of parameters end whose values are secrets, without case and marks; whatever is before.
        words: last words of names that mean many things: their values count if they look random.
        starts: of a shape, pairs: what is directly before a run of letters, digits, `-` and `_`, and how it begins.
        shape: a pattern of the secret, or with a group that is the secret.
        host: of a webhook the host; "" if that does not count.
        path: a pattern of the path after the host, with a group that is the secret.
        example: a link, and the secret in it.
        other: a link that has none.
    """

    name: str
    product: str
    reference: str
    example: tuple[str, str]
    other: str
    sure: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    starts: tuple[tuple[str, str], ...] = ()
    shape: str = ""
    host: str = ""
    path: str = ""


LEAST_RUN: Final = 20
"""Each shape contains a run of so many letters, digits, `-` and `_`, at least."""

# What the secrets of examples are made of, so that none of them is written here as a whole.
_MIXED: Final = "q7Xr2Mz9Kd4Tb8Wf3Lh6Ns1Pv5Jc0Gy7Ra2Ee9Uk4Zt8Ho3Yi6Qm1Dx5Bw0Vg7Sl2Cn9Fa4Pj8Ik3"
_HEX: Final = "3f9a0c7e1b8d2465a7f0c9e3d1b84f6a5c2e7d90b1f8a3e6c4d7f9021b5e8a3c6d7"
_UUID: Final = "7d1f9c3e-4b2a-4e8d-9f60-3c5b7a1e2d84"
_RUN: Final = r"[A-Za-z0-9_\-]"
_WORD: Final = "[A-Za-z0-9]"


def _named(
    name: str, product: str, reference: str, example: str, secret: str, other: str, *sure: str, words: str = ""
) -> SecretRow:
    return SecretRow(name, product, reference, (example + secret, secret), other, sure=sure, words=tuple(words.split()))


def _shaped(
    name: str, product: str, reference: str, shape: str, secret: str, other: str, *starts: tuple[str, str] | str
) -> SecretRow:
    pairs = tuple(("", start) if isinstance(start, str) else start for start in starts)
    return SecretRow(
        name, product, reference, (f"https://a.example/x?v={secret}&n=1", secret), other, starts=pairs, shape=shape
    )


def _webhook(name: str, product: str, reference: str, path: str, example: str, secret: str, other: str) -> SecretRow:
    host = example.partition("/")[0]
    return SecretRow(name, product, reference, (f"https://{example}{secret}", secret), other, host=host, path=path)


SECRETS: Final[tuple[SecretRow, ...]] = (
    _named(
        "oauth-token", "OAuth 2.0, OpenID Connect", "RFC 6749 4.2.2, RFC 6750 2.3, OpenID Connect Core 3.2.2.5",
        "https://a.example/cb#access_token=", _MIXED[:24], "https://a.example/cb#token=true",
        *("accesstoken", "refreshtoken", "idtoken", "oauthtoken", "authtoken", "bearertoken", "usertoken"),
    ),
    _named(
        "client-secret", "OAuth 2.0", "RFC 6749 2.3.1, RFC 7521 4.2, RFC 7636 4.5, RFC 8628 3.2",
        "https://a.example/t?client_secret=", "s3cr3t-of-app", "https://a.example/t?client_secret=***",
        *("secret", "clientassertion", "codeverifier", "devicecode", "samlresponse"),
    ),
    _named(
        "api-key", "services that take a key as a parameter", "OpenAPI 3.1 4.8.27 (`apiKey` in `query`)",
        "https://a.example/v1?api_key=", _HEX[:32], "https://a.example/v1?api_key=null",
        *("apikey", "apitoken", "secretkey", "secretaccesskey", "privatekey", "subscriptionkey", "functionskey"),
    ),
    _named(
        "password-parameter", "forms that are sent as a query", "RFC 3986 7.5",
        "https://a.example/login?user=joe&password=", "hunter22", "https://a.example/login?password=false",
        *("password", "passwd", "passphrase", "pwd"),
    ),
    _named(
        "aws-signature", "Amazon S3 and other services of AWS", "AWS Signature Version 4, query parameters",
        "https://b.s3.amazonaws.com/o?X-Amz-Signature=", _HEX[:64], "https://b.s3.amazonaws.com/o?X-Amz-Expires=300",
        *("amzsignature", "amzsecuritytoken", "securitytoken", "sessiontoken"),
    ),
    _named(
        "google-signature", "Google Cloud Storage", "Cloud Storage, signed URLs (V4)",
        "https://storage.googleapis.com/b/o?X-Goog-Signature=", _HEX[:64],
        "https://storage.googleapis.com/b/o?X-Goog-Expires=300",
        "googsignature",
    ),
    _named(
        "azure-key", "Azure Storage, Service Bus, Logic Apps, Functions", "Azure Storage, shared access signatures",
        "sb://h.servicebus.windows.net/;SharedAccessKey=", _MIXED[:44], "https://h.blob.core.windows.net/c?sp=r&sv=2022-11-02",
        *("accesskey", "accountkey"),
    ),
    _named(
        "gitlab-parameter", "GitLab", "GitLab, REST API authentication",
        "https://gitlab.com/api/v4/projects?private_token=", _MIXED[:20], "https://gitlab.com/api/v4/projects?per_page=100",
        *("privatetoken", "jobtoken", "feedtoken", "rsstoken"),
    ),
    _named(
        "signature", "signed links: shared access, CDN, maps, video",
        "RFC 9421 1; Azure Storage, `sig`; CloudFront, `Signature`",
        "https://h.blob.core.windows.net/c?sv=1&sig=", _MIXED[:43], "https://a.example/?sig=left",
        words="sig signature hmac",
    ),
    _named(
        "token", "links that log in, confirm, reset or unsubscribe", "RFC 6749 1.4, in other words",
        "https://a.example/reset?token=", _MIXED[:32], "https://a.example/?token=true",
        words="token jwt ticket otp assertion",
    ),
    _named(
        "authorization-code", "OAuth 2.0, OpenID Connect", "RFC 6749 4.1.2",
        "https://a.example/cb?code=", _MIXED[:32], "https://a.example/?code=200",
        words="code state",
    ),
    _named(
        "key-parameter", "Google and others", "Google Cloud, API keys",
        "https://maps.example/js?key=", _MIXED[:32], "https://a.example/?key=name",
        words="key appkey",
    ),
    _named(
        "auth-parameter", "Firebase and others", "Firebase, REST API authentication",
        "https://db.example/u.json?auth=", _MIXED[:40], "https://a.example/?auth=ldap",
        words="auth authorization credential credentials",
    ),
    _named(
        "session", "PHP, Java servlets and others", "Jakarta Servlet 7.1.3, PHP `session.use_trans_sid`",
        "https://a.example/f?PHPSESSID=", _HEX[:32], "https://a.example/f?sid=12",
        words="sid session sessid phpsessid sessionid jsessionid sessiontoken",
    ),
    SecretRow(
        "http-credentials", "HTTP authentication as a parameter", "RFC 7617 2, RFC 6750 2.1",
        ("https://a.example/?h=Basic%20am9lOnNlY3JldA%3D%3D&n=1", "am9lOnNlY3JldA%3D%3D"),
        "https://a.example/?plan=Basic+yearly",
        shape=r"(?:(?<==)|(?<=3[Dd]))[Bb](?i:asic|earer)(?:[ +]|%(?:25)*(?:20|2[Bb]))"
        r"((?:[A-Za-z0-9+/_.~\-]|%(?:25)*[0-9A-Fa-f]{2}){8,}=*)",
    ),
    _shaped(
        "jwt", "JSON Web Token", "RFC 7519 3, RFC 7515 7.1",
        rf"eyJ{_RUN}{{17,}}\.eyJ{_RUN}{{8,}}(?:\.{_RUN}*)?",
        f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.{_MIXED[:43]}", f"https://a.example/eyJ.{_MIXED[:30]}",
        "eyJ",
    ),
    _shaped(
        "aws-access-key", "AWS", "IAM identifiers, unique identifiers",
        r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9_\-])", "AKIA" + "IOSFODNN7EXAMPLE",
        "https://a.example/AKIA-in-a-title-of-a-page",
        *("AKIA", "ASIA", "ABIA", "ACCA"),
    ),
    _shaped(
        "github-token", "GitHub", "GitHub, about authentication: token formats",
        rf"gh[pousr]_{_WORD}{{36,}}|github_pat_[A-Za-z0-9_]{{22,}}", f"ghp_{_MIXED[:36]}",
        "https://a.example/ghp_stands_for_a_token_of_it",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    ),
    _shaped(
        "gitlab-token", "GitLab", "GitLab, token overview: token prefixes",
        rf"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-{_RUN}{{20,}}", f"glpat-{_MIXED[:20]}",
        "https://a.example/glpat-in-a-title",
        *("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "glimt-", "gloas-"),
    ),
    _shaped(
        "slack-token", "Slack", "Slack, token types",
        r"xox[abeoprs]-[A-Za-z0-9\-]*[0-9][A-Za-z0-9\-]{14,}|xapp-[0-9]-[A-Za-z0-9\-]{20,}",
        f"xoxb-123456789012-{_MIXED[:24]}",
        "https://a.example/xoxb-is-how-tokens-of-it-begin",
        *("xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
    ),
    _shaped(
        "stripe-key", "Stripe", "Stripe, API keys",
        rf"[sr]k_(?:live|test)_{_WORD}{{16,}}|whsec_{_WORD}{{20,}}", f"sk_live_{_MIXED[:24]}",
        f"https://a.example/pk_live_{_MIXED[:24]}",
        *("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
    ),
    _shaped(
        "google-key", "Google", "Google Cloud, API keys; Google Identity, OAuth 2.0",
        rf"AIza{_RUN}{{35}}(?!{_RUN})|GOCSPX-{_RUN}{{28}}(?!{_RUN})|ya29\.{_RUN}{{20,}}", f"AIza{_MIXED[:35]}",
        "https://a.example/AIza-is-how-keys-of-it-begin",
        *("AIza", "GOCSPX-", ("ya29.", "")),
    ),
    _shaped(
        "telegram-token", "Telegram", "Telegram Bot API, authorizing your bot",
        rf"(?:bot)?([0-9]{{8,10}}(?::|%(?:25)*3[Aa])AA{_RUN}{{33}})(?!{_RUN})", f"123456789:AA{_MIXED[:33]}",
        "https://a.example/v:AAA-rated-hotels-in-the-north",
        *((":", "AA"), ("%3A", "AA"), ("3A", "AA"), ("%3a", "AA"), ("3a", "AA")),
    ),
    _shaped(
        "npm-token", "npm", "npm, about access tokens", rf"npm_{_WORD}{{36}}(?!{_RUN})", f"npm_{_MIXED[:36]}",
        "https://a.example/npm_install_from_a_registry", "npm_",
    ),
    _shaped(
        "pypi-token", "PyPI, crates.io, RubyGems", "PyPI, API tokens; RubyGems, API keys",
        rf"pypi-AgE{_RUN}{{50,}}|rubygems_[0-9a-f]{{48}}|cio{_WORD}{{32}}(?!{_RUN})", f"pypi-AgE{_MIXED[:60]}",
        "https://a.example/pypi-Agent-of-our-house-for-all", *("pypi-AgE", "rubygems_", "cio"),
    ),
    _shaped(
        "sendgrid-key", "SendGrid", "SendGrid, API keys", rf"SG\.{_RUN}{{20,24}}\.{_RUN}{{39,50}}",
        f"SG.{_MIXED[:22]}.{_MIXED[20:63]}", f"https://a.example/SG.{_MIXED[:22]}", ("SG.", ""),
    ),
    _shaped(
        "twilio-key", "Twilio, Mailgun", "Twilio, API keys; Mailgun, authentication",
        rf"(?:SK|key-)[0-9a-f]{{32}}(?!{_RUN})", f"SK{_HEX[:32]}", f"https://a.example/AC{_HEX[:32]}",
        *("SK", "key-"),
    ),
    _shaped(
        "shopify-token", "Shopify, Square", "Shopify, access tokens; Square, access tokens",
        rf"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}(?!{_RUN})|sq0(?:atp|csp)-{_RUN}{{22,}}", f"shpat_{_HEX[:32]}",
        "https://a.example/shpat_in_the_name_of_a_page",
        *("shpat_", "shpca_", "shppa_", "shpss_", "sq0atp-", "sq0csp-"),
    ),
    _shaped(
        "cloud-token", "DigitalOcean, Databricks, Vault, Docker, Grafana", "the documentation of each: access tokens",
        rf"do[opr]_v1_[0-9a-f]{{64}}|dapi[0-9a-f]{{32}}(?:-[0-9])?(?!{_RUN})|hv[sb]\.{_RUN}{{24,}}"
        rf"|dckr_pat_{_RUN}{{20,}}|glsa_{_WORD}{{32}}_[0-9a-fA-F]{{8}}", f"dapi{_HEX[:32]}",
        "https://a.example/dapi-is-how-tokens-begin",
        *("doo_v1_", "dop_v1_", "dor_v1_", "dapi", ("hvs.", ""), ("hvb.", ""), "dckr_pat_", "glsa_"),
    ),
    _shaped(
        "model-key", "OpenAI, Anthropic, Hugging Face", "the documentation of each: API keys",
        rf"sk-(?:proj|ant|svcacct|admin|or)-{_RUN}{{20,}}|sk-{_WORD}{{32,}}|hf_[A-Za-z]{{34}}(?!{_RUN})",
        f"sk-proj-{_MIXED[:40]}", "https://a.example/sk-learn-for-all-beginners", *("sk-", "hf_"),
    ),
    _shaped(
        "project-token", "Linear, Notion, Postman, New Relic, Atlassian", "the documentation of each: API keys",
        rf"lin_api_{_WORD}{{32,}}|ntn_{_WORD}{{40,}}|PMAK-[0-9a-f]{{24}}-[0-9a-f]{{34}}|NRAK-[A-Z0-9]{{27}}"
        rf"|ATATT3{_RUN}{{60,}}",
        f"lin_api_{_MIXED[:40]}", "https://a.example/lin_api_how_to_begin",
        *("lin_api_", "ntn_", "PMAK-", "NRAK-", "ATATT3"),
    ),
    _webhook(
        "slack-webhook", "Slack", "Slack, incoming webhooks",
        r"/(?:services|workflows|triggers)/(?:[^/?#&%\s]+/){2,3}([^/?#&%*\s]+)",
        "hooks.slack.com/services/T0AB12CD3/B0EF45GH6/", _MIXED[:24], "https://hooks.slack.com/services/",
    ),
    _webhook(
        "discord-webhook", "Discord", "Discord, webhook resource", r"/api/(?:v[0-9]+/)?webhooks/[0-9]+/([^/?#&%*\s]+)",
        "discord.com/api/webhooks/123456789012345678/", _MIXED[:68],
        "https://discord.com/api/webhooks/123456789012345678",
    ),
    _webhook(
        "discord-old-webhook", "Discord", "Discord, webhook resource; the host before 2020",
        r"/api/(?:v[0-9]+/)?webhooks/[0-9]+/([^/?#&%*\s]+)",
        "discordapp.com/api/webhooks/123456789012345678/", _MIXED[:68], "https://discordapp.com/api/webhooks/1",
    ),
    _webhook(
        "zapier-webhook", "Zapier", "Zapier, webhooks", r"/hooks/catch/[0-9]+/([^/?#&%*\s]+)",
        "hooks.zapier.com/hooks/catch/1234567/", "a1b2c3d", "https://hooks.zapier.com/hooks/catch/1234567/",
    ),
    _webhook(
        "ifttt-webhook", "IFTTT", "IFTTT, webhooks", r"/trigger/[^/?#&%\s]+/(?:json/)?with/key/([^/?#&%*\s]+)",
        "maker.ifttt.com/trigger/door/with/key/", _MIXED[:22], "https://maker.ifttt.com/trigger/door",
    ),
    _webhook(
        "outlook-webhook", "Microsoft Teams", "Microsoft Teams, incoming webhooks (connectors)",
        r"/webhook/([^?#&%*\s]+)",
        "outlook.office.com/webhook/", f"{_UUID}@{_UUID}/IncomingWebhook/{_HEX[:32]}/{_UUID}",
        "https://outlook.office.com/mail/inbox",
    ),
    SecretRow(
        "teams-webhook", "Microsoft Teams", "Microsoft Teams, incoming webhooks (connectors)",
        (f"https://t.webhook.office.com/webhookb2/{_UUID}@{_UUID}/IncomingWebhook/{_HEX[:32]}/{_UUID}",
         f"{_UUID}@{_UUID}/IncomingWebhook/{_HEX[:32]}/{_UUID}"),
        "https://t.webhook.office.com/webhookb2/how-to", starts=(("/webhookb2/", ""), ("2Fwebhookb2%2F", "")),
        shape=r"(?<=[/Ff])webhookb2(?:/|%2[Ff])([0-9a-fA-F\-]{36}[^?#&*\s]*)",
    ),
    SecretRow(
        "chat-webhook", "Mattermost, Rocket.Chat, Feishu", "the documentation of each: incoming webhooks",
        ("https://chat.example/hooks/xo7qk3m9ztbdfe4wr8yn6hp1ca", "xo7qk3m9ztbdfe4wr8yn6hp1ca"),
        "https://chat.example/hooks/how-to-write-an-incoming-one",
        starts=(("/hooks/", ""), ("/hook/", ""), ("2Fhooks%2F", ""), ("2Fhook%2F", "")),
        shape=rf"(?<=[/Ff])hooks(?:/|%2[Ff])([a-z0-9]{{26}})(?!{_RUN})"
        rf"|(?<=[/Ff])hook(?:/|%2[Ff])([0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}})(?!{_RUN})",
    ),
)  # fmt: skip
