/// Texts that are generated from the table of keys.
extension ConfigurationKey {
    /// The first sentence of `text`, without Markdown.
    package var help: String {
        let plain = text.replacing(#/ \(\[[^\]]*\]\([^)]*\)\)/#, with: "").replacing("`", with: "")
        return plain.split(separator: #/\.\s/#, maxSplits: 1).first.map(String.init) ?? plain
    }

    /// The table of a section in docs/configuration.md.
    package static func markdown(_ keys: [ConfigurationKey]) -> String {
        let head = "| key | default | allowed | reload | meaning |\n|---|---|---|---|---|\n"
        return head + keys.map { $0.markdownRow + "\n" }.joined()
    }

    private var markdownRow: String {
        let preset = defaultText.isEmpty ? "none" : "`\(defaultText)`"
        let values = isList ? "\(allowed); a list in files" : allowed
        let meaning = "\(text.prefix(1).uppercased())\(text.dropFirst())"
        return "| `\(name)` | \(preset) | \(values) | \(isReloadable ? "yes" : "no") | \(meaning) |"
    }

    // MARK: the example file

    /// A configuration file in YAML with every key in a comment. Without the first `#` of each line the file sets every
    /// key to its default.
    package static var example: String {
        var groups: [(name: String, keys: [ConfigurationKey])] = []
        for key in all {
            let name = key.components[0]
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].keys.append(key)
            } else {
                groups.append((name, [key]))
            }
        }
        let head = """
            ## Configuration of `millrace serve`. Each line shows a key with its default.
            ## To set a key, remove the first # of its line and of the line of its group.
            ## Environment variables and flags override this file: http.port is MILLRACE_HTTP_PORT and --http-port.
            ## Keys marked "reload" take effect when the relay receives SIGHUP; the others need a restart.

            """
        return head + groups.map { "\n" + exampleGroup($0.name, $0.keys) }.joined()
    }

    private static func exampleGroup(_ name: String, _ keys: [ConfigurationKey]) -> String {
        guard keys[0].components.count > 1 else { return keys.map { $0.exampleEntry(indent: "") }.joined() }
        return "#\(name):\n" + keys.map { $0.exampleEntry(indent: "  ") }.joined()
    }

    private func exampleEntry(indent: String) -> String {
        var lines = [""]
        for word in "\(help) (\(allowed))\(isReloadable ? " [reload]" : "")".split(separator: " ") {
            if lines[lines.count - 1].count + word.count > 100 { lines.append("") }
            lines[lines.count - 1] += " " + word
        }
        let isPlain = !defaultText.isEmpty && defaultText.allSatisfy { $0.isLetter || $0.isNumber }
        let value = isPlain ? defaultText : "\"\(defaultText)\""
        return lines.map { "#\(indent)#\($0)\n" }.joined() + "#\(indent)\(components.last ?? name): \(value)\n"
    }
}
