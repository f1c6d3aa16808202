// The formats of secrets that begin with a known prefix. Patterns are bounded and begin where a word begins, so
// a text is scanned once whatever it holds. A new provider is one line here and one row in the tests.

import { isDiscordToken, isRandom, isTokenBody, isVaried } from "./secret-shapes.ts"

export type SecretFormat = {
  readonly kind: string
  /** What the secrets of the format begin with: two plain characters or more, by which they are found. */
  readonly prefixes: readonly string[]
  /** Sticky: tried where a word begins. */
  readonly pattern: RegExp
  accepts(secret: string): boolean
}

/** Prefix and body (a pattern) of every format; the prefix decides, but for words; `isRandom` where base64 or words hold the prefix. */
export const SECRET_FORMATS: readonly SecretFormat[] = [
  token("anthropic key", "sk-ant-", "[\\w-]{24,256}"),
  token("openrouter key", "sk-or-", "[\\w-]{32,256}"),
  token("openai key", "sk-", "(?:proj|svcacct|admin|None)-[\\w-]{20,256}"),
  token("api key", "sk-", "[A-Za-z0-9]{32,128}"),
  token("google api key", "AIza", "[\\w-]{35}(?![\\w-])"),
  token("google oauth secret", "GOCSPX-", "[\\w-]{28}"),
  token("google access token", "ya29", "\\.[\\w-]{20,2048}"),
  token("github token", "ghs_", "[A-Za-z0-9]{1,32}_eyJ[\\w-]{8,4096}\\.[\\w-]{4,4096}\\.[\\w-]{4,4096}"),
  token("github token", "gh", "[pousr]_[A-Za-z0-9]{36,255}"),
  token("github token", "github_pat_", "[A-Za-z0-9]{22}_[A-Za-z0-9]{50,255}"),
  token(
    "gitlab token",
    "gl",
    "(?:pat|ptt|dt|rt|cbt|oas|soat|ft|imt|agent|ffct)-[\\w-]{20,255}(?:\\.[\\w-]{2,32}){0,2}",
  ),
  token("slack token", "xox", "[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,255}", isSlackToken),
  token("slack token", "xapp-", "\\d-[A-Za-z0-9-]{20,255}"),
  token("stripe key", "sk_", "(?:live|test)_[A-Za-z0-9]{16,255}"),
  token("stripe key", "rk_", "(?:live|test)_[A-Za-z0-9]{16,255}"),
  token("stripe webhook secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}"),
  token("npm token", "npm_", "[A-Za-z0-9]{36}(?![A-Za-z0-9_])"),
  token("hugging face token", "hf_", "[A-Za-z0-9]{34,64}(?![A-Za-z0-9_])"),
  token("hugging face token", "api_org_", "[A-Za-z0-9]{34,64}(?![A-Za-z0-9_])"),
  token("sendgrid key", "SG", "\\.[\\w-]{16,32}\\.[\\w-]{32,64}"),
  token("twilio key", "SK", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("aws access key", ["AKIA", "ASIA", "ABIA", "ACCA"], "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  token("digitalocean token", ["doo_v1_", "dop_v1_", "dor_v1_"], "[0-9a-f]{64}"),
  token("shopify token", "shp", "(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}"),
  token("square token", "sq0", "[a-z]{3}-[\\w-]{22,43}"),
  token("square token", "EAAA", "[\\w-]{60}(?![\\w-])", isRandom),
  token("mailgun key", "key-", "[0-9a-f]{32}(?![A-Za-z0-9_-])"),
  token("pypi token", "pypi-AgE", "[\\w-]{50,1024}"),
  token("vault token", "hv", "[sbr]\\.[\\w-]{24,512}"),
  token("linear key", "lin_", "(?:api|oauth)_[A-Za-z0-9]{32,64}"),
  token("databricks token", "dapi", "[0-9a-f]{32}(?:-\\d)?(?![A-Za-z0-9])"),
  token("docker token", "dckr_", "(?:pat|oat)_[\\w-]{27,64}"),
  token("figma token", "fig", "[dou]_[\\w-]{40,64}"),
  token("grafana token", "glsa_", "[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}"),
  token("grafana token", "glc_eyJ", "[A-Za-z0-9]{32}[\\w+/]{0,480}={0,2}"),
  token("groq key", "gsk_", "[A-Za-z0-9]{48,64}"),
  token("xai key", "xai-", "[A-Za-z0-9]{64,100}"),
  token("perplexity key", "pplx-", "[A-Za-z0-9]{40,64}"),
  token("tavily key", "tvly-", "(?:(?:dev|prod)-)?[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
  token("replicate token", "r8_", "[A-Za-z0-9]{37,40}"),
  token("notion token", "secret_", "[A-Za-z0-9]{43}(?![A-Za-z0-9_])"),
  token(
    "asana token",
    ["0/1", "1/1", "2/1"],
    "\\d{11,19}(?:/\\d{12,20})?:[0-9a-f]{32}(?![A-Za-z0-9])",
    isVaried,
  ),
  token("notion token", "ntn_", "[A-Za-z0-9]{40,60}"),
  token("supabase token", "sb", "(?:p|_secret)_[\\w-]{30,64}"),
  token("sentry token", "sntryu_", "[0-9a-f]{64}"),
  token("sentry token", "sntrys_eyJ", "[\\w-]{32}[\\w+/=-]{0,480}"),
  token("postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  token("planetscale token", "pscale_", "(?:tkn|pw|oauth)_[\\w.-]{32,64}"),
  token("pulumi token", "pul-", "[0-9a-f]{40}(?![A-Za-z0-9])"),
  token("rubygems key", "rubygems_", "[0-9a-f]{48}"),
  token("tailscale key", "tskey-", "[a-z]+-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}"),
  token("new relic key", "NRAK-", "[A-Z0-9]{27}"),
  token("atlassian token", "ATATT3", "[\\w=-]{40,255}"),
  token("netlify token", "nf", "[pcou]_[A-Za-z0-9]{36,64}"),
  token("heroku key", "HRKU-", "[\\w-]{36,100}"),
  token("age key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
  token("nvidia key", "nvapi-", "[\\w-]{32,255}"),
  token("cerebras key", "csk-", "[A-Za-z0-9]{32,128}"),
  token("bedrock key", "ABSK", "[A-Za-z0-9+/]{60,1024}={0,2}"),
  token("bedrock key", "bedrock-api-key-", "[\\w+/=-]{40,4096}"),
  token("google api key", "AQ.", "[\\w-]{30,255}"),
  token("google refresh token", "1//0", "[\\w-]{30,255}"),
  token("gitlab token", "GR1348941", "[\\w-]{20,64}"),
  token("gitlab token", "glrtr-", "[\\w-]{20,255}"),
  token("vercel token", ["vcp_", "vci_", "vca_", "vcr_", "vck_"], "[A-Za-z0-9]{24,255}"),
  token("cloudflare token", ["cfut_", "cfat_", "cfk_"], "[\\w-]{32,255}"),
  token("langfuse key", "sk-lf-", "[0-9a-f-]{36}"),
  token("langsmith key", ["lsv2_pt_", "lsv2_sk_"], "[0-9a-f]{32}(?:_[0-9a-f]{8,16})?"),
  token("together key", "tgp_v1_", "[\\w-]{40,255}"),
  token("fireworks key", "fw_", "[A-Za-z0-9]{22,64}(?![A-Za-z0-9_])"),
  token("jina key", "jina_", "[\\w-]{40,255}"),
  token("e2b key", "e2b_", "[0-9a-f]{40}"),
  token("firecrawl key", "fc-", "[0-9a-f]{32}(?![A-Za-z0-9])"),
  token("alibaba key", "sk-sp-", "[\\w-]{4,128}\\.[\\w-]{20,255}"),
  token("fly token", ["fm1_", "fm2_", "fo1_"], "[\\w+/=-]{30,4096}"),
  token("render key", "rnd_", "[A-Za-z0-9]{28,64}"),
  token("neon key", "napi_", "[a-z0-9]{40,128}"),
  token("elevenlabs key", "sk_", "[0-9a-f]{48}(?![A-Za-z0-9])"),
  token("pinecone key", "pcsk_", "[\\w-]{40,255}"),
  token("dynatrace token", "dt0", "[a-z]\\d{2}\\.[A-Z0-9]{8,24}\\.[A-Z0-9]{64}"),
  token("airtable token", "pat", "[A-Za-z0-9]{14}\\.[0-9a-f]{64}"),
  token("bitbucket token", ["ATBB", "ATCTT3"], "[\\w=-]{28,255}"),
  token("doppler token", "dp.", "(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}"),
  token("1password token", "ops_eyJ", "[\\w+/=-]{200,4096}"),
  token("buildkite token", ["bkua_", "bkaa_", "bkat_"], "[0-9a-f]{40}"),
  token("circleci token", ["CCIPAT_", "CCIPRJ_"], "[A-Za-z0-9]{22}_[0-9a-f]{40}"),
  token("artifactory key", "AKCp", "[A-Za-z0-9]{69}"),
  token("artifactory token", "cmVmdGtu", "[A-Za-z0-9]{56}"),
  token("crates.io token", "cio", "[A-Za-z0-9]{32}(?![A-Za-z0-9])", isRandom),
  token("nuget key", "oy2", "[a-z0-9]{43}(?![A-Za-z0-9])"),
  token("clojars token", "CLOJARS_", "[0-9a-z]{60}"),
  token("facebook token", "EAA", "[A-Za-z0-9]{80,512}"),
  token("age key", "AGE-SECRET-KEY-PQ-1", "[A-Z0-9]{58,128}"),
  token("hubspot token", "pat-", "(?:na|eu|ap)\\d-[0-9a-f-]{36}"),
  token("brevo key", ["xkeysib-", "xsmtpsib-"], "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  token("sourcegraph token", "sgp_", "(?:[0-9a-f]{16}_)?[0-9a-f]{40}"),
  token("sonar token", ["sqp_", "squ_", "sqa_"], "[0-9a-f]{40}"),
  token(
    "discord token",
    discordStarts(),
    "[\\w-]{21,25}\\.[\\w-]{6}\\.[\\w-]{27,40}(?![\\w-])",
    isDiscordToken,
  ),
  token("json web token", "eyJ", "[\\w-]{8,4096}\\.eyJ[\\w-]{4,16384}(?:\\.[\\w-]{0,4096})?", isVaried),
  token(
    "encrypted web token",
    "eyJ",
    "[\\w-]{8,4096}\\.[\\w-]{0,4096}\\.[\\w-]{8,64}\\.[\\w-]{4,16384}\\.[\\w-]{10,128}",
    isVaried,
  ),
]

function token(
  kind: string,
  prefix: string | readonly string[],
  body: string,
  accepts?: (secret: string) => boolean,
): SecretFormat {
  const prefixes = typeof prefix === "string" ? [prefix] : prefix
  const prefixUnits = (secret: string): number => prefixes.find((one) => secret.startsWith(one))?.length ?? 0
  const start = prefixes.map((one) => one.replaceAll(".", "\\.")).join("|")
  return {
    kind,
    prefixes,
    pattern: new RegExp(`(?:${start})${body}`, "y"),
    accepts: accepts ?? ((secret) => isTokenBody(secret, prefixUnits(secret))),
  }
}

/** Base64 of a number begins with one of three letters, then one of four, then one of ten. */
function discordStarts(): readonly string[] {
  const numbers = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"))
  return [...new Set(numbers.map((digits) => Buffer.from(`${digits}0`).toString("base64").slice(0, 3)))]
}

function isSlackToken(secret: string): boolean {
  return isVaried(secret) && /\d{6}|[0-9a-f]{24}/.test(secret)
}
