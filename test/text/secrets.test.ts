import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import { SECRET_FORMATS } from "../../src/text/secret-formats.ts"
import { maskSecrets } from "../../src/text/secrets.ts"

// Made up here, character by character, so that no file of the repository holds anything like a token.
const ALNUM = "aB3dE7fG1hJ9kL2mN5pQ8rS4tU6vW0xYzCDbAcH"
const HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
const body = (length: number, alphabet = ALNUM) =>
  Array.from({ length }, (_, index) => alphabet[(index * 7 + (index >> 3)) % alphabet.length]).join("")
const alnum = (length: number) => body(length)
const hex = (length: number) => body(length, HEX)
const upper = (length: number) => body(length, "AZ2BY3CX4DW5EV6FU7")
const base64 = (text: string) => Buffer.from(text).toString("base64").replaceAll("=", "")
const jwt = [`{"alg":"HS256"}`, `{"sub":"7","name":"Someone"}`].map(base64).join(".") + `.${alnum(43)}`
const pem = (type: string) => `-----BEGIN ${type}-----\n${alnum(64)}\n${alnum(40)}==\n-----END ${type}-----`

const SECRETS: ReadonlyArray<readonly [kind: string, secret: string]> = [
  ["anthropic key", `sk-ant-api03-${alnum(60)}-${alnum(30)}AA`],
  ["anthropic key", `sk-ant-oat01-${alnum(86)}`],
  ["openrouter key", `sk-or-v1-${hex(64)}`],
  ["openai key", `sk-proj-${alnum(70)}_${alnum(40)}`],
  ["openai key", `sk-svcacct-${alnum(60)}`],
  ["api key", `sk-${alnum(48)}`],
  ["api key", `sk-${hex(32)}`],
  ["google api key", `AIza${alnum(35)}`],
  ["google oauth secret", `GOCSPX-${alnum(28)}`],
  ["google access token", `ya29.a0${alnum(120)}`],
  ["github token", `ghp_${alnum(36)}`],
  ["github token", `gho_${alnum(36)}`],
  ["github token", `ghs_${alnum(36)}`],
  ["github token", `ghu_${alnum(36)}`],
  ["github token", `github_pat_${alnum(22)}_${alnum(59)}`],
  ["gitlab token", `glpat-${alnum(20)}`],
  ["gitlab token", `glpat-${alnum(40)}.01.${alnum(9)}`],
  ["gitlab token", `glrt-${alnum(20)}`],
  ["slack token", `xoxb-123456789012-123456789012-${alnum(24)}`],
  ["slack token", `xoxp-123456789012-123456789012-123456789012-${hex(32)}`],
  ["slack token", `xoxe.xoxp-1-${hex(40)}`],
  ["slack token", `xapp-1-A0123456789-1234567890123-${hex(64)}`],
  ["stripe key", `sk_live_${alnum(24)}`],
  ["stripe key", `rk_live_${alnum(99)}`],
  ["stripe key", `sk_test_${alnum(24)}`],
  ["stripe webhook secret", `whsec_${alnum(32)}`],
  ["npm token", `npm_${alnum(36)}`],
  ["hugging face token", `hf_${alnum(34)}`],
  ["sendgrid key", `SG.${alnum(22)}.${alnum(43)}`],
  ["twilio key", `SK${hex(32)}`],
  ["aws access key", `AKIA${upper(16)}`],
  ["aws access key", `ASIA${upper(16)}`],
  ["digitalocean token", `dop_v1_${hex(64)}`],
  ["shopify token", `shpat_${hex(32)}`],
  ["square token", `sq0atp-${alnum(22)}`],
  ["square token", `EAAA${alnum(60)}`],
  ["mailgun key", `key-${hex(32)}`],
  ["pypi token", `pypi-AgEIcHlwaS5vcmc${alnum(150)}`],
  ["vault token", `hvs.${alnum(90)}`],
  ["linear key", `lin_api_${alnum(40)}`],
  ["databricks token", `dapi${hex(32)}`],
  ["docker token", `dckr_pat_${alnum(27)}`],
  ["figma token", `figd_${alnum(40)}`],
  ["grafana token", `glsa_${alnum(32)}_${hex(8)}`],
  ["grafana token", `glc_eyJ${alnum(80)}=`],
  ["groq key", `gsk_${alnum(52)}`],
  ["xai key", `xai-${alnum(80)}`],
  ["tavily key", `tvly-${alnum(32)}`],
  ["tavily key", `tvly-dev-${alnum(32)}`],
  ["terraform token", `${alnum(14)}.atlasv1.${alnum(67)}`],
  ["perplexity key", `pplx-${alnum(48)}`],
  ["replicate token", `r8_${alnum(37)}`],
  ["notion token", `ntn_${alnum(46)}`],
  ["supabase token", `sbp_${hex(40)}`],
  ["sentry token", `sntrys_eyJ${alnum(80)}_${alnum(43)}`],
  ["sentry token", `sntryu_${hex(64)}`],
  ["postman key", `PMAK-${hex(24)}-${hex(34)}`],
  ["planetscale token", `pscale_tkn_${alnum(43)}`],
  ["pulumi token", `pul-${hex(40)}`],
  ["rubygems key", `rubygems_${hex(48)}`],
  ["tailscale key", `tskey-auth-${alnum(17)}-${alnum(32)}`],
  ["new relic key", `NRAK-${upper(27)}`],
  ["atlassian token", `ATATT3${alnum(180)}=1A2B3C4D`],
  ["netlify token", `nfp_${alnum(36)}`],
  ["heroku key", `HRKU-${alnum(36)}`],
  ["age key", `AGE-SECRET-KEY-1${upper(58)}`],
  ["github token", `ghs_123456_${jwt}`],
  ["nvidia key", `nvapi-${alnum(64)}`],
  ["cerebras key", `csk-${alnum(48)}`],
  ["bedrock key", `ABSK${alnum(130)}=`],
  ["bedrock key", `bedrock-api-key-${alnum(200)}`],
  ["google api key", `AQ.${alnum(50)}`],
  ["google refresh token", `1//0${alnum(80)}`],
  ["gitlab token", `GR1348941${alnum(20)}`],
  ["gitlab token", `glrtr-${alnum(20)}`],
  ["vercel token", `vcp_${alnum(56)}`],
  ["cloudflare token", `cfut_${alnum(48)}`],
  ["langfuse key", `sk-lf-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`],
  ["langsmith key", `lsv2_pt_${hex(32)}_${hex(10)}`],
  ["langsmith key", `lsv2_sk_${hex(32)}_${hex(10)}`],
  ["together key", `tgp_v1_${alnum(43)}`],
  ["fireworks key", `fw_${alnum(24)}`],
  ["jina key", `jina_${hex(32)}${alnum(28)}`],
  ["e2b key", `e2b_${hex(40)}`],
  ["firecrawl key", `fc-${hex(32)}`],
  ["alibaba key", `sk-sp-${alnum(8)}.${alnum(40)}`],
  ["fly token", `fm2_${alnum(200)}`],
  ["render key", `rnd_${alnum(28)}`],
  ["neon key", `napi_${body(64, "a1b2c3d4e5f6g7h8k9")}`],
  ["elevenlabs key", `sk_${hex(48)}`],
  ["pinecone key", `pcsk_${alnum(6)}_${alnum(62)}`],
  ["dynatrace token", `dt0c01.${upper(24)}.${upper(64)}`],
  ["airtable token", `pat${alnum(14)}.${hex(64)}`],
  ["bitbucket token", `ATBB${alnum(32)}`],
  ["doppler token", `dp.pt.${alnum(43)}`],
  ["1password token", `ops_eyJ${alnum(300)}`],
  ["buildkite token", `bkua_${hex(40)}`],
  ["circleci token", `CCIPAT_${alnum(22)}_${hex(40)}`],
  ["artifactory key", `AKCp${alnum(69)}`],
  ["artifactory token", `cmVmdGtu${alnum(56)}`],
  ["crates.io token", `cio${alnum(32)}`],
  ["nuget key", `oy2${body(43, "a1b2c3d4e5f6g7h8k9")}`],
  ["clojars token", `CLOJARS_${body(60, "a1b2c3d4e5f6g7h8k9")}`],
  ["facebook token", `EAA${alnum(160)}`],
  ["age key", `AGE-SECRET-KEY-PQ-1${upper(58)}`],
  ["hubspot token", `pat-na1-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`],
  ["brevo key", `xkeysib-${hex(64)}-${alnum(16)}`],
  ["sourcegraph token", `sgp_${hex(40)}`],
  ["sonar token", `sqp_${hex(40)}`],
  ["json web token", jwt],
  ["encrypted web token", `eyJ${alnum(60)}..${alnum(16)}.${alnum(80)}.${alnum(22)}`],
  ["encrypted web token", `eyJ${alnum(60)}.${alnum(342)}.${alnum(16)}.${alnum(80)}.${alnum(22)}`],
  ["asana token", `1/${"1203456789".repeat(2).slice(0, 16)}:${hex(32)}`],
  ["notion token", `secret_${alnum(43)}`],
  ["mailchimp key", `${hex(32)}-us12`],
  ["telegram token", `1234567890:AA${alnum(33)}`],
  ["discord token", `${base64("123456789012345678")}.${alnum(6)}.${alnum(38)}`],
  ["azure secret", `aB1.8Q~`.replace(".", "") + alnum(34)],
  ["private key", pem("RSA PRIVATE KEY")],
  ["private key", pem("PRIVATE KEY")],
  ["private key", pem("EC PRIVATE KEY")],
  ["private key", pem("OPENSSH PRIVATE KEY")],
  ["private key", pem("PGP PRIVATE KEY BLOCK")],
  ["private key", pem("ENCRYPTED PRIVATE KEY").replaceAll("\n", "\\n")],
  [
    "private key",
    pem("RSA PRIVATE KEY").replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n"),
  ],
]

describe("each format is masked: alone, in a line, quoted, in a URL's query, after a written-out escape", () => {
  for (const [kind, secret] of SECRETS) {
    test(`${kind} ${secret.slice(0, 16).replaceAll("\n", " ")}…`, () => {
      const mask = `[secret: ${kind}]`
      for (const [before, after] of [
        ["", ""],
        ["export KEY=", "\n"],
        ['{"key": "', '"}'],
        ["see `", "`."],
        ["GET /x?key=", "&b=1"],
        ["a=1\\n", '"'],
        ["{\\u001b[1;32m", "\\u001b[0m}"],
        ["\\x1b[32m", "\\x1b[0m"],
        ["\\033[0;32m", "\\033[0m"],
        ["\\e[m", "\\e[0m"],
      ])
        assert.deepEqual(maskSecrets(before + secret + after), { text: before + mask + after, masked: 1 })
    })
  }
})

describe("a secret is masked by what stands around it", () => {
  masks(`Authorization: Bearer ${alnum(32)}`, "Authorization: Bearer [secret: authorization]")
  masks(`authorization: bearer abc123def456`, "authorization: bearer [secret: authorization]")
  masks(
    `curl -H "Authorization: Basic ${base64("joe:hunter22")}" x`,
    'curl -H "Authorization: Basic [secret: authorization]" x',
  )
  masks(`{"Authorization": "Token ${hex(40)}"}`, '{"Authorization": "Token [secret: authorization]"}')
  masks(
    `{\\"Authorization\\": \\"Bearer ${alnum(32)}\\"}`,
    '{\\"Authorization\\": \\"Bearer [secret: authorization]\\"}',
  )
  masks(
    `headers["Authorization"] = "Bearer ${alnum(32)}"`,
    'headers["Authorization"] = "Bearer [secret: authorization]"',
  )
  masks(`Authorization: ${hex(40)}`, "Authorization: [secret: authorization]")
  masks(`x-api-key: ${alnum(40)}`, "x-api-key: [secret: authorization]")
  masks(`Authorization: Bearer sk-ant-api03-${alnum(90)}`, "Authorization: Bearer [secret: anthropic key]")
  masks(`Authorization: Bearer ${jwt}`, "Authorization: Bearer [secret: json web token]")
  masks(`aws_secret_access_key = ${alnum(40)}`, "aws_secret_access_key = [secret: aws secret key]")
  masks(`AWS_SECRET_ACCESS_KEY="${alnum(40)}"`, 'AWS_SECRET_ACCESS_KEY="[secret: aws secret key]"')
  masks(`"SecretAccessKey": "${alnum(40)}"`, '"SecretAccessKey": "[secret: aws secret key]"')
  masks(`aws_session_token=${alnum(200)}`, "aws_session_token=[secret: aws session token]")
  masks(`AccountName=a;AccountKey=${alnum(86)}==;`, "AccountName=a;AccountKey=[secret: azure key];")
  masks(`SharedAccessKey=${alnum(43)}=`, "SharedAccessKey=[secret: azure key]")
  masks(
    `//registry.npmjs.org/:_authToken=${alnum(36)}`,
    "//registry.npmjs.org/:_authToken=[secret: npm token]",
  )
  masks("postgres://app:s3cr3t@db.local:5432/x", "postgres://app:[secret: password]@db.local:5432/x")
  masks("redis://:p4ss@10.0.0.1/0", "redis://:[secret: password]@10.0.0.1/0")
  masks("https://me:p@ss@host/x", "https://me:[secret: password]@host/x")
  masks("mongodb+srv://u:%40bc%21@[::1]/db", "mongodb+srv://u:[secret: password]@[::1]/db")
  masks(`https://ghp_${alnum(36)}@github.com/a/b`, "https://[secret: github token]@github.com/a/b")
  masks(`https://x:ghp_${alnum(36)}@github.com/a`, "https://x:[secret: github token]@github.com/a")
  masks(
    `https://hooks.slack.com/services/T01234567/B01234567/${alnum(24)}`,
    "https://hooks.slack.com/services/[secret: web hook]",
  )
  masks(
    `https://hooks.slack.com/workflows/T01234567/A01234567/123456789012345678/${alnum(24)}`,
    "https://hooks.slack.com/workflows/[secret: web hook]",
  )
  masks(
    `https://hooks.slack.com/triggers/T01234567/1234567890123/${hex(32)}`,
    "https://hooks.slack.com/triggers/[secret: web hook]",
  )
  masks(`mailgun ${hex(32)}-${hex(8)}-${hex(8)}`, "mailgun [secret: mailgun key]")
  masks(
    `Private-Lines: 2\n${alnum(64)}\n${alnum(40)}\nPrivate-MAC: ${hex(64)}`,
    "Private-Lines: 2\n[secret: private key]",
  )
  masks(
    `https://discord.com/api/webhooks/123456789012345678/${alnum(68)}`,
    "https://discord.com/api/webhooks/123456789012345678/[secret: web hook]",
  )
  masks(
    `https://a.blob.core.windows.net/c?sv=1&sig=${alnum(43)}%3D`,
    "https://a.blob.core.windows.net/c?sv=1&sig=[secret: azure signature]",
  )
  masks(`-----BEGIN PRIVATE KEY-----\n${alnum(64)}\n${alnum(64)}`, "[secret: private key]")
  masks(
    `{"type":"service_account","private_key":"${pem("PRIVATE KEY").replaceAll("\n", "\\n")}\\n"}`,
    '{"type":"service_account","private_key":"[secret: private key]\\n"}',
  )
  masks(`GITHUB_TOKEN_ghp_${alnum(36)}`, "GITHUB_TOKEN_[secret: github token]")
  masks(
    `key%3Dghp_${alnum(36)} \\u003dghp_${alnum(36)}`,
    "key%3D[secret: github token] \\u003d[secret: github token]",
  )

  function masks(text: string, expected: string): void {
    test(expected, () => assert.equal(maskSecrets(text).text, expected))
  }
})

describe("what only looks like a secret stays", () => {
  stays("a1b2c3d4e5f60718293a4b5c6d7e8f9001122334")
  stays("commit 9fceb02d0ae598e95dc970b74767f19372d61af8")
  stays("d41d8cd98f00b204e9800998ecf8427e")
  stays("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  stays("550e8400-e29b-41d4-a716-446655440000")
  stays(`"integrity": "sha512-${alnum(86)}=="`)
  stays(`sha256-${alnum(43)}=`)
  stays(`sha1:${hex(40)}`)
  stays(`h1:${alnum(43)}=`)
  stays(`ghcr.io/a/b@sha256:${hex(64)}`)
  stays("AKIAIOSFODNN7EXAMPLE")
  stays("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  stays("sk_test_4eC39HqLyjWDarjtT1zdp7dc")
  stays(`pk_live_${alnum(24)}`)
  stays("sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
  stays("sb_secret_key_for_the_project_environment_name")
  stays("sk-proj-this-is-only-a-name-made-of-words")
  stays("glpat-in-the-name-of-a-variable-of-ours")
  stays("nvapi-endpoint-for-the-models-of-the-workspace")
  stays("secret_thatIsOnlyANameOfAFunctionMadeOfManyWords")
  stays("ghp_abcdefghijklmnopqrstuvwxyz0123456789")
  stays("sk-your-api-key-goes-here-please-and-thank-you")
  stays("sk-ant-your-key-here-0000000000000000000000")
  stays("sk-proj-...")
  stays("sk-fading-circle-loading-spinner-component-12")
  stays("class='sk-cube-grid sk-cube-grid-9-animation-delay'")
  stays("ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
  stays("ghp_" + "0".repeat(36))
  stays("github_pat_ prefix")
  stays("npm_config_registry npm_lifecycle_event npm_package_dependencies_typescript_version")
  stays("hf_hub_download hf_transfer_enabled_for_all_of_the_models")
  stays("xoxb-your-slack-bot-token")
  stays("glpat-<your token>")
  stays("dapi_endpoint_for_the_databricks_workspace")
  stays("key-value-store")
  stays(`cache-key-${hex(32)}`)
  stays("hvs.someProperty.anotherProperty.lastProperty")
  stays("SKIP SKU SK123")
  stays(`SK${hex(40)}`)
  stays("SG.something.else")
  stays("AIza is how Google keys begin")
  stays(
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
  )
  stays("eyJ.eyJ.x")
  stays(pem("PUBLIC KEY"))
  stays(pem("CERTIFICATE"))
  stays('if (text.startsWith("-----BEGIN RSA PRIVATE KEY-----")) return parse(text)')
  stays("-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----")
  stays("Authorization: Bearer <token>")
  stays("Authorization: Bearer ${token}")
  stays("Authorization: Bearer $TOKEN")
  stays("Authorization: Bearer YOUR_ACCESS_TOKEN")
  stays('"Authorization: Bearer " + token')
  stays("headers.authorization = request.headers.authorization")
  stays("Authorization: required for every endpoint")
  stays("authorization: authenticated-users-only-middleware")
  stays('WWW-Authenticate: Basic realm="private"')
  stays("bearer tokens are described in RFC 6750")
  stays("//registry.npmjs.org/:_authToken=${NPM_TOKEN}")
  stays("http://localhost:3000/@scope/package")
  stays("https://example.com:8443/a?mail=joe@example.com")
  stays("https://example.com:8443?mail=joe@example.com")
  stays("ssh://git@github.com:22/a/b.git")
  stays("git@github.com:owner/repo.git")
  stays("https://user:password@example.com")
  stays("postgres://${user}:${password}@${host}/db")
  stays("https://x-access-token:***@github.com")
  stays("12:30 meeting, see joe@example.com")
  stays(
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  )
  stays("ses_0123456789abABCDEFGHIJKLMN msg_0123456789abABCDEFGHIJKLMN prt_0123456789abABCDEFGHIJKLMN")
  stays("src/components/sk/index.ts:12:30")
  stays("[secret: github token]")

  function stays(text: string): void {
    test(text.slice(0, 70).replaceAll("\n", " "), () =>
      assert.deepEqual(maskSecrets(text), { text, masked: 0 }),
    )
  }
})

test("every format of the table has a row here", () => {
  const covered = new Set(SECRETS.map(([kind]) => kind))
  assert.deepEqual(
    SECRET_FORMATS.map((format) => format.kind).filter((kind) => !covered.has(kind)),
    [],
  )
})

test("each is counted once, and masking twice changes nothing", () => {
  const some = fc.constantFrom(...SECRETS.map(([, secret]) => secret))
  const between = fc.constantFrom("\n", " ", '", "', " text ", "\t", "; ")
  fc.assert(
    fc.property(fc.array(fc.tuple(some, between), { maxLength: 6 }), (pieces) => {
      const text = pieces.map(([secret, after]) => secret + after).join("")
      const masked = maskSecrets(text)
      assert.equal(masked.masked, pieces.length)
      for (const [secret] of pieces) assert.ok(!masked.text.includes(secret))
      assert.deepEqual(maskSecrets(masked.text), { text: masked.text, masked: 0 })
    }),
  )
})

test("any text is kept but for what is masked", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) =>
      assert.deepEqual(maskSecrets(text), { text, masked: 0 }),
    ),
  )
})

test("a secret is masked whatever stands next to it that is no part of a word", () => {
  const some = fc.constantFrom(...SECRETS)
  const around = fc.string({ unit: fc.constantFrom(..."sk sgahtMT0=:\n/".split(""), "東"), maxLength: 8 })
  fc.assert(
    fc.property(around, some, around, (before, [kind, secret], after) => {
      const masked = maskSecrets(`${before}(${secret})${after}`)
      assert.equal(masked.text, `${before}([secret: ${kind}])${after}`)
    }),
  )
})
