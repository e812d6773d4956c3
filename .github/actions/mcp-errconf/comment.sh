# Posts the comment on the pull request, or puts it in place of the one that this job posted before. Reads COMMENT, GH_TOKEN,
# GITHUB_REPOSITORY and PULL_REQUEST. Without the right to comment, as in pull requests from forks, the summary must do.
set -euo pipefail

comments=repos/$GITHUB_REPOSITORY/issues
marker=$(head -n 1 "$COMMENT")
# Whoever else writes the marker is no bot.
ours() { gh api --paginate "$comments/$PULL_REQUEST/comments" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id"; }

if ids=$(ours) && id=$(head -n 1 <<<"$ids") && {
    if [[ -n $id ]]; then
        gh api --silent --method PATCH "$comments/comments/$id" --field body=@"$COMMENT"
    else
        gh api --silent --method POST "$comments/$PULL_REQUEST/comments" --field body=@"$COMMENT"
    fi
}; then exit; fi
echo "::notice title=mcp-errconf::no comment was posted: the job needs \`permissions: pull-requests: write\`, which pull requests from forks never have"
