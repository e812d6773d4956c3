//! The HTTP service behind a server fails while its tools ask it for something.

use mcp_errconf::judge::{Report, Status};

use crate::program::{folder, tool_of};

/// `order_total` and `shop_state` ask the shop, `say` does not. Only what the shop answers with status 200 is data to them.
/// Of its errors one is written in words, one as a language would, one is hidden in a success, and one is kept quiet about.
pub(crate) const SERVER: &str = r#"ask() {
  shop=${SHOP#http://}
  exec 3<>"/dev/tcp/${shop%:*}/${shop#*:}" || return 1
  printf 'GET /orders HTTP/1.0\r\n\r\n' >&3
  status=; read -r _ status _ <&3
  body=$(cat <&3 | tr -d '\r' | sed '1,/^$/d')
  exec 3>&-
}
while read -r line; do
  id=${line#*'"id":'}; id=${id%%[!0-9]*}
  [ -n "$id" ] || continue
  flag=true
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[
      {"name":"order_total","description":"Tells the total of an order.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}},
      {"name":"shop_state","description":"Tells how the shop is.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},
      {"name":"say","description":"Says a word.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}}]}' ;;
    *'"name":"say"'*'"amount":'[0-9-]*) text='a word'; flag=false; result= ;;
    *'"name":"order_total"'*'"amount":'[0-9-]*|*'"name":"shop_state"'*)
      result=
      ask
      case "$status" in
        200) case "$body" in '{'*) text='7 in all'; flag=false ;; *) text='the shop sent no data: try again later' ;; esac ;;
        404) text='Error: no such order' ; flag=false ;;
        409) text='0 in all'; flag=false ;;
        500) text='panic: runtime error: invalid memory address or nil pointer dereference' ;;
        *) text="the shop answered with status $status: try again later" ;;
      esac ;;
    *) text='give the argument \"amount\" as a whole number'; result= ;;
  esac
  [ -n "$result" ] || result='{"content":[{"type":"text","text":"'$text'"}],"isError":'$flag'}'
  printf '%s\n' "$result" | tr -d '\n' | sed 's/^\(.*\)$/{"jsonrpc":"2.0","id":'"$id"',"result":\1}\n/'
done"#;

fn report(server: &str, options: &str) -> Report {
    let configuration = r#"contract = "plain"
[server.env]
SHOP = "{upstream}"
"#;
    folder().with("mcp-errconf.toml", configuration).judged(options, &["bash", "-c", server])
}

fn status(report: &Report, tool: &str, fault: &str) -> Option<Status> {
    let id = format!("probe/{tool}/service/{fault}");
    report.cases.iter().find(|case| case.id.0 == id).map(|case| case.status)
}

/// The rules that found something in such a case.
fn found<'r>(report: &'r Report, tool: &str, fault: &str) -> Vec<&'r str> {
    let id = format!("probe/{tool}/service/{fault}");
    let is_there =
        |place: &mcp_errconf::finding::FindingPlace| place.case.as_ref().is_some_and(|case| case.0 == id);
    report
        .findings
        .iter()
        .filter(|finding| finding.places.iter().any(is_there))
        .map(|finding| finding.rule.as_str())
        .collect()
}

#[test]
fn every_tool_that_asks_the_service_is_tried_while_it_fails_and_no_other() {
    let report = report(SERVER, "--confine off");
    for tool in ["order_total", "shop_state"] {
        assert_eq!(status(&report, tool, "status-503"), Some(Status::Passed), "{tool}");
        assert_eq!(status(&report, tool, "not-data"), Some(Status::Passed), "{tool}");
        assert!(found(&report, tool, "status-500").contains(&"leak/panic"), "{tool}: {:?}", report.findings);
        assert!(
            found(&report, tool, "status-404").contains(&"channel/disguised-error"),
            "{tool}: {:?}",
            report.findings
        );
        assert_eq!(found(&report, tool, "status-409"), ["channel/accepted-bad-input"], "{tool}");
        // The call itself has nothing wrong that its caller could change.
        assert_eq!(found(&report, tool, "status-422"), Vec::<&str>::new(), "{tool}");
        assert_eq!(found(&report, tool, "status-429-seconds"), ["message/wait-missing"], "{tool}");
        // Made-up data makes its valid call succeed: with the service's own 404 alone none is known.
        let tried = tool_of(&report, tool);
        assert!(tried.valid.is_some(), "{tried:?}");
    }
    assert_eq!(status(&report, "say", "status-503"), None);
}

#[test]
fn a_tool_that_sleeps_as_long_as_the_service_asks_is_found_and_one_that_hands_the_time_on_is_not() {
    let with = |answer: &str| {
        let answers = SERVER.replace("        500)", &format!("        429) {answer} ;;\n        500)"));
        report(&answers, "--confine off --timeout 1 --filter probe/order_total/service/status-429-*")
    };
    // What the reply to the call before it hides is a finding too.
    let of_fault = |report: &Report| {
        let mut found = found(report, "order_total", "status-429-date");
        found.retain(|rule| *rule != "channel/disguised-error");
        found.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let sleeps = with("sleep 30; text=late");
    assert_eq!(of_fault(&sleeps), ["liveness/no-reply"], "{:?}", sleeps.cases);
    let tells = with("text='the shop allows no more requests: try again in 53 seconds'");
    assert_eq!(of_fault(&tells), Vec::<String>::new(), "{:?}", tells.findings);
}

#[test]
#[cfg(target_os = "linux")]
fn the_service_also_fails_in_confinement() {
    let report = report(SERVER, "--confine on --filter probe/*/service/status-*");
    assert_eq!(status(&report, "order_total", "status-503"), Some(Status::Passed), "{:?}", report.cases);
    assert_eq!(status(&report, "order_total", "not-data"), None, "the filter leaves it out");
}

#[test]
fn a_server_that_asks_before_it_begins_a_session_gets_made_up_data() {
    let asking = SERVER.replacen("while read", "ask; [ \"$status\" = 200 ] || exit 1\nwhile read", 1);
    let report = report(&asking, "--confine off --filter probe/order_total/amount/missing");
    assert!(tool_of(&report, "order_total").valid.is_some(), "{:?}", report.tools);
}

#[test]
fn what_a_tool_misses_in_a_made_up_answer_is_in_the_next_one() {
    let reading = "*'\"sums\":['*) text='7 in all'; flag=false ;; '{'*) text=\"cannot read the orders: 'sums'\" ;; *) text=";
    let reads = SERVER.replacen("'{'*) text='7 in all'; flag=false ;; *) text=", reading, 1);
    let report = report(&reads, "--confine off --filter probe/order_total/*");
    assert!(tool_of(&report, "order_total").valid.is_some(), "{:?}", report.tools);
}

#[test]
#[cfg(target_os = "linux")]
fn a_confined_server_with_a_service_gets_a_made_up_key() {
    let telling = SERVER.replacen("'the shop sent no data", "\"$SHOP_TOKEN: no data\"; : '", 1);
    let telling =
        telling.replacen("404) text='Error: no such order'", "404) text=\"no order for $SHOP_TOKEN\"", 1);
    let folder = folder().with("server.sh", &telling);
    let run = "run --contract plain --confine on --filter probe/order_total/amount/* --report json=r.json --transcript t.jsonl \
        -- env SHOP={upstream} bash server.sh";
    folder.program().env("SHOP_TOKEN", "ab-9").args(run.split_whitespace()).assert().code(0);
    let recording = folder.read("t.jsonl");
    assert!(recording.contains("no order for xx-0") && !recording.contains("ab-9"), "{recording}");
}
