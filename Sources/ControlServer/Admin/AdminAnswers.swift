import Signaling

/// One page of a list. If the list has more entries, `next` is the value of `?after=` for the next page.
struct SessionPage: Encodable {
    var sessions: [SessionOverview]
    var next: String?
}

struct ParticipantPage: Encodable {
    var participants: [UserInfo]
    var next: String?
}

struct StreamPage: Encodable {
    var streams: [StreamInfo]
    var next: String?
}

struct IssuePage: Encodable {
    var issues: [IssueEntry]
    var next: String?
}

/// Answer to `GET /v1/admin/relay`.
struct RelayAnswer: Encodable {
    var version: String
    var isDraining: Bool
    var sessions: Int
    var participants: Int
    var connections: Int
    var streams: Int
    /// Keys of the apps that the relay knows.
    var apps: [String]
    var defaultApp: String
}

/// Answer to `POST /v1/admin/drain`.
struct DrainAnswer: Encodable {
    var seconds: Int
    var url: String?
}
