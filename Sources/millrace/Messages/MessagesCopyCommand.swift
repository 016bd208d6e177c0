import ArgumentParser
import Foundation
import Persistence

/// `millrace messages copy --from DIRECTORY --to URL`.
struct MessagesCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies the conversations of a directory into an empty PostgreSQL database.",
        discussion: """
            The relay of the directory must be stopped. Either everything is copied or nothing; the directory keeps its data. Ids and
            cursors stay the same, so clients notice no difference. Exit code 1 if the copy fails, 3 if the database has conversations
            already.

            Example:
              millrace messages copy --from /var/lib/millrace/messages --to postgres://millrace@db/millrace
            """)

    @Option(help: ArgumentHelp("directory of the conversations (storage.directory)", valueName: "directory"))
    var from: String
    @Option(
        help: ArgumentHelp(
            "PostgreSQL database (storage.url); also MILLRACE_STORAGE_URL, which other users of the host cannot read",
            valueName: "url"))
    var to: String?
    @Flag(help: "print the numbers of copied rows as JSON") var json = false

    func run() async throws {
        guard let url = to ?? ProcessInfo.processInfo.environment["MILLRACE_STORAGE_URL"] else {
            throw ValidationError("name the database (--to, or MILLRACE_STORAGE_URL)")
        }
        let copy: MessageCopy
        do throws(StorageError) {
            copy = try MessageCopy(directory: from, url: url)
        } catch {
            throw Self.failed(error)
        }
        defer { copy.close() }
        let result: MessageCopy.Result
        do throws(MessageCopy.Failure) {
            result = try copy.run { progress in
                CommandOutput.error("\(progress.rows) of \(progress.totalRows) rows, table \(progress.table)")
            }
        } catch {
            switch error {
            case .notEmpty:
                CommandOutput.error("nothing was copied: the database has conversations already")
                throw ExitCode(3)
            case .failed(let error): throw Self.failed(error)
            case .inDoubt(let error):
                CommandOutput.error(
                    "the connection was lost at the end (\(error.detail)): either everything or nothing was copied. "
                        + "Run the command again: it fails with exit code 3 if everything was")
                throw ExitCode.failure
            }
        }
        print(
            json
                ? try CommandOutput.json(result)
                : "copied \(result.messages) messages in \(result.conversations) conversations of \(result.users) users"
        )
    }

    private static func failed(_ error: StorageError) -> ExitCode {
        CommandOutput.error("nothing was copied: \(error.detail); \(error.advice)")
        return .failure
    }
}
