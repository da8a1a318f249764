// Starts `arrayol lsp` for the .aol files of a window, and ends it with the window.

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const command = workspace.getConfiguration("arrayol").get("command");
  const documents = { documentSelector: [{ language: "arrayol" }] };
  client = new LanguageClient("arrayol", "Array-OL", { command, args: ["lsp"] }, documents);
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(`'${command} lsp' did not start (setting arrayol.command): ${error.message}`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
