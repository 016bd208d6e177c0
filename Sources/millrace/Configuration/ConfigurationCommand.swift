import ArgumentParser
import RelayServer

/// `millrace configuration`: prints texts that are made from the table of configuration keys.
struct ConfigurationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Prints all configuration keys, as an example file or as tables.",
        discussion: """
            `millrace serve --print-config` prints the values that a relay would use.

            Examples:
              millrace configuration --example > millrace.yaml
              millrace configuration --markdown
            """)

    @Flag(help: "print a configuration file with every key in a comment") var example = false
    @Flag(help: "print the tables of docs/configuration.md") var markdown = false

    func validate() throws {
        guard example != markdown else { throw ValidationError("give either --example or --markdown") }
    }

    func run() async throws {
        if example {
            print(ConfigurationKey.example, terminator: "")
        } else {
            for section in ConfigurationKey.sections {
                print("## \(section.title)\n\n\(ConfigurationKey.markdown(section.keys))")
            }
        }
    }
}
