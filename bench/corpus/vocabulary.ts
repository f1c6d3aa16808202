import { random } from "./random.ts"

// The words of the invented history: English prose, names as programmers make them, paths, Japanese. Names are
// composed, so that a corpus has tens of thousands of them and most are rare.

/** Common first: they are drawn skewed. */
export const PROSE = words(`
  the to and a is of in that it for we this with not on be as are should from now when have but so only if can will
  all one there which by or an at into also before after then each no still was does first same more than what let me
  need file test error function code change session message call value check line run type path read write work fix
  failing passes returns missing because instead already current existing between without while where every other both
  time case order update result list state module request response user data name config build server client field
  default option method input output query index cache token database schema migration parser handler event stream
  buffer worker thread process signal timeout retry queue batch limit offset cursor page search match filter sort merge
  branch commit review patch diff release version package dependency import export interface generic promise async await
  callback closure scope variable constant string number boolean array object record map set key pair entry node tree
  graph edge leaf root parent child sibling depth width height layout render component property style theme color button
  dialog menu window screen cursor focus keyboard shortcut command terminal shell script argument flag environment
  permission access owner group policy secret password login logout refresh expire rotate encrypt decrypt hash sign
  verify certificate connection socket port address host proxy gateway router route endpoint header cookie body payload
  encode decode serialize compress archive extract upload download transfer copy move rename delete restore backup
  snapshot rollback transaction lock unlock acquire release wait notify poll schedule cron trigger observe measure
  profile benchmark latency throughput memory allocation leak garbage collector heap stack frame trace breakpoint assert
  expect mock stub fixture coverage lint format compile bundle minify deploy rollout canary monitor alert incident
  looks probably simply exactly actually likely clearly mostly rather quite around about under above below inside
  outside across along through during until against toward within behind beside despite unless whether though although
`)

const VERBS =
  words(`get set read write parse format build make create open close load store find resolve apply update
  remove check validate render handle emit listen fetch send receive encode decode merge split join sort filter map fold
  wrap unwrap start stop init reset flush drain retry schedule cancel normalize serialize hydrate collect sample probe`)

const NOUNS =
  words(`session message token user config path file line query index cursor page row column table schema
  cache buffer chunk stream worker queue event signal state store model view layout theme route handler request response
  header body payload client server socket host port address error result value option default limit offset range span
  node edge tree graph branch commit patch diff snapshot version package module plugin hook tool prompt answer excerpt
  word gram block segment posting ledger journal record entry batch budget clock timer deadline quota policy rule grant
  secret key hash digest signature certificate account profile tenant project workspace directory folder archive bundle`)

export const EXTENSIONS = words("ts ts ts tsx js py go rs md json css sql yaml sh")

export const FOLDERS =
  words(`src lib app core api auth billing search index storage cache web ui components hooks pages
  server client worker jobs queue events parser lexer runtime compiler plugins tools scripts config internal pkg cmd test
  tests fixtures docs migrations models services routes middleware handlers adapters drivers schema types text session`)

/** Characters of Japanese text, frequent ones first. */
export const JAPANESE = Array.from(
  "のにはをたがでとしてるいなれかっらもすまりこあうそくよきんけどえわみつせちめやさお" +
    "検索結果関数修正変更確認実行失敗成功設定保存読込書出追加削除更新取得必要場合問題原因対応処理画面入力出力文字列配列型値引数戻" +
    "時間日付順序最新過去会話履歴作業計画次回方法理由説明例外通知認証権限接続通信応答要求送信受信試験環境開発本番東京大阪",
)

const LOWER_NOUNS = NOUNS

/** Names in camel case and snake case, by the thousand; a few are everywhere. */
export function names(seed: number, count: number): readonly string[] {
  const from = random(seed)
  const made = new Set<string>(NOUNS)
  while (made.size < count) {
    const verb = from.pick(VERBS)
    const one = from.pick(LOWER_NOUNS)
    const other = from.pick(LOWER_NOUNS)
    const style = from.below(6)
    if (style === 0) made.add(`${verb}_${one}_${other}`)
    else if (style === 1) made.add(`${one}${capital(other)}`)
    else if (style === 2) made.add(`${capital(one)}${capital(other)}${from.once(3) ? "Error" : ""}`)
    else if (style === 3) made.add(`${verb}${capital(one)}`)
    else if (style === 4) made.add(`${verb}${capital(one)}${capital(other)}`)
    else
      made.add(`${one.toUpperCase()}_${other.toUpperCase()}_${from.pick(["MAX", "MS", "BYTES", "DEFAULT"])}`)
  }
  return [...made]
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
