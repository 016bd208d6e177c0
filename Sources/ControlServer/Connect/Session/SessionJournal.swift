import Conference
import Recording
import Signaling

/// Journal of a session beside its recordings (REC-2): chat, present clients, joins, leaves and moves between subsessions, and the start and
/// end of subsessions. `SessionCore.perform` passes it the session's effects; it writes nothing while the users are not told of a recording.
///
/// It has clients that others know by name, so users that are only counted in a large session are not in it. Publishers without signalling
/// are known from their recordings.
struct SessionJournal {
    /// Name of the session in the media engine.
    private let session: String
    /// Nil if the relay keeps no journals.
    private let writer: JournalWriter?
    /// Whether the journal of a running recording has begun.
    private var isOpen = false
    /// Whether the journal of a running recording has the start of the subsessions, and not their end.
    private var subsessionsAreNoted = false
    /// Clients whose presence or join the journal has, and not their leave.
    private var present: Set<ConnectionID> = []
    /// Names of the subsessions of clients that are in one.
    private var subsessions: [ConnectionID: String] = [:]
    /// Clients that joined and left since the last call of `noteState`.
    private var joined: [RecordingSource.Participant] = []
    private var left: [RecordingSource.Participant] = []

    init(session: String, writer: JournalWriter?) {
        self.session = session
        self.writer = writer
    }

    /// Notes an effect of the session's rules before it is carried out. The loss of a connection and its resumption are no leave and no join.
    mutating func note(_ effect: Effect, in conference: Conference, at wall: Int64) {
        guard isOpen else { return }
        switch effect {
        case .send(_, .chat(let message)), .broadcast(_, .chat(let message)): note(message, in: conference)
        case .media(.relocate(let ids, let location)): noteMove(of: ids, to: location, in: conference, at: wall)
        case .hook(.participantJoined(let user)):
            guard user.kind == .client, conference.isListed(user.id) else { return }
            present.insert(user.id)
            joined.append(RecordingSource.Participant(user))
        case .hook(.participantLeft(let user, _)):
            subsessions[user.id] = nil
            guard present.remove(user.id) != nil else { return }
            left.append(RecordingSource.Participant(user))
        case .send, .broadcast, .close, .media, .push, .hook, .ended: return
        }
    }

    /// Notes the state of the session after the effects of a call: joins and leaves, many of which may come at once, whether the session is
    /// recorded, and its subsessions. When a recording begins, the present clients and running subsessions are noted.
    mutating func noteState(of conference: Conference, at wall: Int64) {
        guard writer != nil else { return }
        // A participant whose leave ends the last recording is still in its journal.
        if !joined.isEmpty || !left.isEmpty { noteChanges(at: wall) }
        guard conference.isRecorded else {
            if isOpen { close() }
            return
        }
        if !isOpen { open(conference, at: wall) }
        noteSubsessions(of: conference, at: wall)
    }

    private mutating func open(_ conference: Conference, at wall: Int64) {
        isOpen = true
        write(JournalEntry(time: wall, event: .recordingStarted))
        let users = conference.listedClients
        present = Set(users.map(\.id))
        for entry in JournalEntry.entries(.present, of: users.map { RecordingSource.Participant($0) }, time: wall) {
            write(entry)
        }
        for subsession in conference.subsessionList {
            for user in subsession.users { subsessions[user] = subsession.name }
        }
    }

    private mutating func close() {
        isOpen = false
        subsessionsAreNoted = false
        present = []
        subsessions = [:]
    }

    private mutating func noteChanges(at wall: Int64) {
        for entry in JournalEntry.entries(.joined, of: joined, time: wall) { write(entry) }
        for entry in JournalEntry.entries(.left, of: left, time: wall) { write(entry) }
        joined = []
        left = []
    }

    /// Notes a chat message to all users of a location. A message to one user is not recorded, and no chat of an encrypted session: all
    /// other content that the relay stores of such a session is unreadable without its key.
    private func note(_ message: ChatReceived, in conference: Conference) {
        guard message.to == nil, !conference.isEncrypted else { return }
        let sender = conference.user(message.from)
        let participant = RecordingSource.Participant(
            id: message.from.rawValue, name: sender?.name ?? message.name ?? "", identity: sender?.identity)
        let subsession = message.subsession.flatMap { name(of: $0, in: conference) }
        write(
            JournalEntry(
                time: message.time, event: .chat, participant: participant, subsession: subsession, text: message.text))
    }

    /// Notes the moves of single users. The end of all subsessions, which returns all users at once, has an entry of its own.
    private mutating func noteMove(
        of ids: [ConnectionID], to location: Location, in conference: Conference, at wall: Int64
    ) {
        guard conference.subsessionStatus == .started else { return }
        let to = location.subsession.flatMap { name(of: $0, in: conference) }
        for id in ids {
            let from = subsessions[id]
            subsessions[id] = to
            guard to != from, let user = conference.user(id) else { continue }
            write(
                JournalEntry(
                    time: wall, event: .moved, participant: RecordingSource.Participant(user), subsession: to,
                    from: from))
        }
    }

    /// Notes the start and end of subsessions. If a recording begins during subsessions, their start has its time.
    private mutating func noteSubsessions(of conference: Conference, at wall: Int64) {
        let areStarted = conference.subsessionStatus == .started
        guard areStarted != subsessionsAreNoted else { return }
        subsessionsAreNoted = areStarted
        if !areStarted { subsessions = [:] }
        write(JournalEntry(time: wall, event: areStarted ? .subsessionsStarted : .subsessionsStopped))
    }

    private func name(of subsession: SubsessionID, in conference: Conference) -> String? {
        conference.subsessionList.first { $0.id == subsession }?.name
    }

    private func write(_ entry: JournalEntry) { writer?.append(entry, session: session) }
}

extension RecordingSource.Participant {
    fileprivate init(_ user: UserInfo) {
        self.init(id: user.id.rawValue, name: user.name, identity: user.identity)
    }
}
