// Starts `arrayol lsp` for the .aol and C files of a window, and ends it with the window.

const { languages, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate(context) {
  const settings = workspace.getConfiguration("arrayol");
  const command = settings.get("command");
  const options = {
    documentSelector: [{ language: "arrayol" }],
    initializationOptions: { compiler: settings.get("compiler") },
  };
  client = new LanguageClient("arrayol", "Array-OL", { command, args: ["lsp"] }, options);
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`'${command} lsp' did not start (setting arrayol.command): ${error.message}`);
    return;
  }
  context.subscriptions.push(
    languages.registerCodeActionsProvider(["c", "cpp"], { provideCodeActions: offersFor }),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (["c", "cpp"].includes(document.languageId)) client.diagnostics?.delete(document.uri);
    }),
  );
}

// The import alone is asked for: as a document of the client C would get its formatter too.
async function offersFor(document, range) {
  if (document.isDirty) return []; // the server reads what is saved
  const identifier = client.code2ProtocolConverter.asTextDocumentIdentifier(document);
  const place = client.code2ProtocolConverter.asRange(range);
  const params = { textDocument: identifier, range: place, context: { diagnostics: [] } };
  return (await client.sendRequest("textDocument/codeAction", params)) ?? [];
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
