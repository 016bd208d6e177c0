import ArgumentParser
import HTTPCalls

/// User that a command uses, and its relay.
struct UserOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("id of the user (user_identity of its tokens)", valueName: "user")) var user: String
    @OptionGroup(title: "Relay") var relay: RelayOptions

    func path(_ parts: String...) -> String {
        "/v1/users/" + ([user] + parts).map(HTTPTarget.percentEncoded).joined(separator: "/")
    }

    var query: [String: String] { relay.app.map { ["app": $0] } ?? [:] }
}
