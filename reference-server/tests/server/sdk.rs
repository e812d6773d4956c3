//! The server through the SDK's client.

use std::fs;

use mcp_errconf_reference::{Options, serve};
use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::json;
use tokio::io::split;

#[tokio::test]
async fn the_sdks_client_lists_the_tools_and_reads_results_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = split(theirs);
    let options = Options { workdir: folder.path().to_owned(), ..Options::default() };
    let server = tokio::spawn(serve(options, reader, writer));
    let client = ().serve(ours).await.unwrap();

    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let old = ["bash", "task_output", "view", "create_file", "str_replace", "multi_edit", "multi_edit_files"];
    assert_eq!(names[..7], old);
    assert_eq!(
        names[7..],
        ["grep", "glob", "open_file", "list_paths", "search_text", "blame_range", "file_history"]
    );
    for tool in &tools {
        let annotations = tool.annotations.as_ref().unwrap();
        let is_reader = !["bash", "create_file", "str_replace"].contains(&tool.name.as_ref());
        assert_eq!(annotations.read_only_hint, Some(is_reader), "{}", tool.name);
    }

    for (path, is_error, begin) in
        [("a.txt", Some(false), "     1\tone"), ("b.txt", Some(true), "[PATH_NOT_FOUND] ")]
    {
        let arguments = json!({"path": path}).as_object().cloned().unwrap();
        let call = CallToolRequestParams::new("view").with_arguments(arguments);
        let result = client.call_tool(call).await.unwrap();
        assert_eq!(result.is_error, is_error);
        let text = &result.content[0].as_text().unwrap().text;
        assert!(text.starts_with(begin), "{text}");
    }
    client.cancel().await.unwrap();
    server.await.unwrap().unwrap();
}
