import Conference
import Recording
import Signaling

/// Journal of a session beside its recordings (REC-2): chat, and when subsessions start and stop. `SessionCore.perform` passes it the
/// session's events; it writes nothing while the users are not told of a recording.
struct SessionJournal {
    /// Name of the session in the media engine.
    private let session: String
    /// Nil if the relay keeps no journals.
    private let writer: JournalWriter?
    /// Whether the journal of a running recording has the start of the subsessions, and not their end.
    private var subsessionsAreNoted = false

    init(session: String, writer: JournalWriter?) {
        self.session = session
        self.writer = writer
    }

    /// Notes a chat message to all users of a location. A message to one user is not recorded, and no chat of an encrypted session: all
    /// else that the relay stores of such a session is unreadable without its key.
    func note(_ event: Event, in conference: Conference) {
        guard case .chat(let message) = event, message.to == nil, let writer = writer(for: conference),
            !conference.isEncrypted
        else { return }
        let sender = conference.user(message.from)
        let participant = RecordingSource.Participant(
            id: message.from.rawValue, name: sender?.name ?? message.name ?? "", identity: sender?.identity)
        let subsession = message.subsession.flatMap { id in
            conference.subsessionList.first { $0.id == id }?.name
        }
        writer.append(
            JournalEntry(
                time: message.time, event: .chat, participant: participant, subsession: subsession,
                text: message.text), session: session)
    }

    /// Notes the start and end of subsessions. If a recording begins during subsessions, their start has its time.
    mutating func noteSubsessions(of conference: Conference, at wall: Int64) {
        let areStarted = conference.subsessionStatus == .started
        guard areStarted || subsessionsAreNoted else { return }
        guard let writer = writer(for: conference) else {
            subsessionsAreNoted = false
            return
        }
        guard areStarted != subsessionsAreNoted else { return }
        subsessionsAreNoted = areStarted
        writer.append(
            JournalEntry(time: wall, event: areStarted ? .subsessionsStarted : .subsessionsStopped),
            session: session)
    }

    private func writer(for conference: Conference) -> JournalWriter? { conference.isRecorded ? writer : nil }
}
