import ArgumentParser
import ControlServer
import Foundation
import Signaling

/// `millrace session show SESSION`.
struct SessionShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a session, its participants and its streams.",
        discussion: """
            Example:
              millrace session show "support 17" --app shop
              millrace session show "support 17" --quality
            """)

    @OptionGroup var options: SessionOptions
    @Flag(help: "show the quality of each participant's media over the last minutes instead") var quality = false

    private struct Participants: Codable {
        var participants: [UserInfo]
        var next: String?
    }

    private struct Streams: Codable {
        var streams: [StreamInfo]
        var next: String?
    }

    private struct All: Encodable {
        var session: SessionOverview
        var participants: [UserInfo]
        var streams: [StreamInfo]
    }

    private struct Quality: Encodable {
        var participant: UserInfo
        var quality: QualityAnswer
    }

    func run() async throws {
        let client = try options.relay.relay()
        if quality {
            try await showQuality(client)
            return
        }
        let session = try await client.get(SessionOverview.self, client.path(options.session)).value
        let all = All(
            session: session,
            participants: try await pages(client, "participants", Participants.self, \.participants, \.next),
            streams: try await pages(client, "streams", Streams.self, \.streams, \.next))
        print(options.relay.json ? try CommandOutput.json(all) : text(all))
    }

    private func showQuality(_ client: AdminClient) async throws {
        var all: [Quality] = []
        for user in try await pages(client, "participants", Participants.self, \.participants, \.next) {
            let path = client.path(options.session, "participants", user.id.rawValue, "quality")
            // A participant who has left since the list was read is skipped.
            guard let answer = try await client.find(QualityAnswer.self, path) else { continue }
            all.append(Quality(participant: user, quality: answer))
        }
        if options.relay.json {
            print(try CommandOutput.json(all))
            return
        }
        var table = QualityTable()
        for entry in all { table.add(entry.participant, entry.quality) }
        print(table.text)
    }

    private func pages<Page: Decodable, Item>(
        _ client: AdminClient, _ part: String, _ type: Page.Type, _ items: (Page) -> [Item],
        _ next: (Page) -> String?
    ) async throws -> [Item] {
        var all: [Item] = []
        var after: String?
        repeat {
            var query = ["limit": "1000"]
            if let after { query["after"] = after }
            let page = try await client.get(type, client.path(options.session, part), query: query).value
            all += items(page)
            after = next(page)
        } while after != nil
        return all
    }

    private func text(_ all: All) -> String {
        let session = all.session
        var lines = ["session  \(CommandOutput.plain(session.name))", "app      \(session.app)"]
        if let id = session.id { lines.append("id       \(id)") }
        lines.append("since    \(CommandOutput.time(session.createdAt))")
        let flags = [
            session.hasPassword ? "password" : nil, session.isMuteForced ? "muted" : nil,
            session.isShareLocked ? "share locked" : nil, session.isChatAllowed ? nil : "chat off",
            session.subsessionStatus == .none ? nil : "subsessions \(session.subsessionStatus.rawValue)",
        ].compactMap { $0 }
        if !flags.isEmpty { lines.append("state    " + flags.joined(separator: ", ")) }
        let users = all.participants.map { user in
            [
                user.id.rawValue, CommandOutput.plain(user.name), CommandOutput.plain(user.identity ?? "-"),
                user.role.rawValue, user.audio.rawValue, user.video.rawValue, user.share.rawValue,
                user.isConnected ? CommandOutput.time(user.joinedAt) : "lost",
            ]
        }
        let streams = all.streams.map { stream in
            let kinds = [
                stream.hasAudio ? "audio" : nil, stream.isAudioMuted ? "(audio muted)" : nil,
                stream.hasVideo ? stream.videoType.rawValue : nil, stream.isVideoMuted ? "(video muted)" : nil,
            ].compactMap { $0 }
            return [
                stream.id.rawValue, CommandOutput.plain(stream.name), stream.connection.rawValue,
                kinds.joined(separator: " "), stream.width > 0 ? "\(stream.width)x\(stream.height)" : "-",
            ]
        }
        let people = CommandOutput.table(
            ["PARTICIPANT", "NAME", "IDENTITY", "ROLE", "AUDIO", "VIDEO", "SHARE", "SINCE"], users)
        let media = CommandOutput.table(["STREAM", "NAME", "OF", "MEDIA", "SIZE"], streams)
        var parts = [lines.joined(separator: "\n"), people, media]
        if !session.subsessions.isEmpty {
            parts.append(
                CommandOutput.table(
                    ["SUBSESSION", "NAME", "PARTICIPANTS"],
                    session.subsessions.map { subsession in
                        [
                            subsession.id.rawValue, CommandOutput.plain(subsession.name),
                            subsession.users.map(\.rawValue).joined(separator: " "),
                        ]
                    }))
        }
        return parts.joined(separator: "\n\n")
    }
}
