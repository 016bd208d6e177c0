/// JSON objects of the API: names of schemas, and their fields. A field is `name: type`, optional if the name ends in `?`. A type is a JSON
/// type, another schema, or a list of either in brackets.
enum APISchemas {
    typealias Fields = KeyValuePairs<String, String>

    static let all: KeyValuePairs<String, Fields> = [
        "Problem": [
            "title": "string", "status": "integer", "detail": "string", "code": "string", "field?": "string",
            "limit?": "string",
        ],
        "TokenRequest": [
            "session": "string", "identity?": "string", "role?": "string", "data?": "string", "seconds?": "integer",
        ],
        "Token": ["token": "string", "app": "string", "session": "string", "expiresAt": "integer"],
        "MediaSessions": ["sessions": "[MediaSession]"],
        "MediaSession": [
            "app": "string", "name": "string", "streams": "integer", "publishers": "integer", "subscribers": "integer",
        ],
        "MediaStreams": ["session": "string", "streams": "[MediaStream]"],
        "MediaStream": [
            "name": "string", "createdAt": "string", "subscribers": "integer", "taps": "integer",
            "recording": "boolean", "audio?": "MediaTrack", "video?": "MediaTrack",
        ],
        "MediaTrack": [
            "ssrc": "integer", "codec": "string", "packets": "integer", "bytes": "integer", "lost": "integer",
            "jitterMilliseconds": "number", "bitsPerSecond": "integer", "muted": "boolean", "width?": "integer",
            "height?": "integer", "reorderedFrames?": "boolean",
        ],
        "Mute": ["kind": "string", "muted": "boolean"],
        "KindRequest": ["kind": "string"],
        "MuteAll": ["muted": "boolean", "excluding?": "[string]"],
        "ShareLock": ["locked": "boolean"],
        "Signal": ["type": "string", "data?": "string", "to?": "string"],
        "PlainRequest": [
            "direction": "string", "stream?": "string", "password?": "string", "suite?": "string",
            "rtcpMux?": "boolean",
            "address?": "string", "audio?": "object", "video?": "object",
        ],
        "PlainTransport": [
            "id": "string", "session": "string", "stream": "string", "direction": "string", "address": "string",
            "rtcpMux": "boolean", "suite": "string", "clientKey": "string", "relayKey": "string", "audio?": "object",
            "video?": "object", "sdp": "string",
        ],
        "Recording": [
            "session": "string", "stream": "string", "phase": "string", "files": "[string]", "bytes": "integer",
            "videoFrames": "integer", "audioPackets": "integer", "lostPackets": "integer", "gaps": "integer",
            "damagedFrames": "integer", "timeJumps": "integer", "suspensions": "integer", "reason?": "string",
            "error?": "string",
        ],
        "RecordRequest": ["action": "string"],
        "SessionRecording": [
            "session": "string", "isRecorded": "boolean", "streams": "[Recording]", "composed": "[ComposedSession]",
        ],
        "ComposedSession": [
            "phase": "string", "file?": "string", "bytes": "integer", "duration": "number", "warnings": "integer",
            "error?": "string",
        ],
        "LiveRequest": ["to": "string", "token?": "string", "stream?": "string", "allowHTTP?": "boolean"],
        "LiveStart": ["id": "string"],
        "LiveStreams": ["live": "[LiveStream]"],
        "LiveStream": ["id": "string", "stream?": "string", "isLive": "boolean"],
        "SessionRequest": [
            "name": "string", "app?": "string", "password?": "string", "requiresEncryption?": "boolean",
        ],
        "Session": [
            "app": "string", "name": "string", "id?": "string", "createdAt?": "integer", "participants": "integer",
            "streams": "integer", "hasPassword": "boolean", "requiresEncryption": "boolean", "isMuteForced": "boolean",
            "isShareLocked": "boolean",
            "host?": "string", "isChatAllowed": "boolean", "subsessionStatus": "string",
            "subsessions": "[Subsession]",
        ],
        "Subsession": ["id": "string", "name": "string", "users": "[string]"],
        "SessionPage": ["sessions": "[Session]", "next?": "string"],
        "Participant": [
            "id": "string", "name": "string", "identity?": "string", "data?": "string", "kind": "string",
            "role": "string", "audio": "string", "video": "string", "share": "string", "isConnected": "boolean",
            "joinedAt": "integer", "e2eeKey?": "string",
        ],
        "Statistics": [
            "published": "[TrackStatistics]", "subscribed": "[TrackStatistics]", "availableBitrate?": "integer",
            "roundTrip?": "number",
        ],
        "TrackStatistics": [
            "stream": "string", "kind": "string", "packets": "integer", "bytes": "integer", "lost": "integer",
            "bitrate": "integer", "jitter?": "number", "encoding?": "string", "temporalLayer?": "integer",
            "isPaused?": "boolean", "width?": "integer", "height?": "integer",
        ],
        "Quality": ["published": "[QualityPoint]", "subscribed": "[QualityPoint]"],
        "QualityPoint": [
            "at": "integer", "packets": "integer", "lost": "integer", "bitrate": "integer", "roundTrip?": "number",
            "availableBitrate?": "integer", "layer?": "integer", "temporalLayer?": "integer", "height?": "integer",
            "frozen": "integer",
        ],
        "ParticipantPage": ["participants": "[Participant]", "next?": "string"],
        "Stream": [
            "id": "string", "connection": "string", "name": "string", "videoType": "string", "hasAudio": "boolean",
            "hasVideo": "boolean", "isAudioMuted": "boolean", "isVideoMuted": "boolean", "width": "integer",
            "height": "integer", "isDropped": "boolean", "createdAt": "integer",
            "isEncrypted": "boolean", "codec?": "string",
        ],
        "StreamPage": ["streams": "[Stream]", "next?": "string"],
        "Relay": [
            "version": "string", "isDraining": "boolean", "sessions": "integer", "participants": "integer",
            "connections": "integer", "streams": "integer", "apps": "[string]", "defaultApp": "string",
        ],
        "Cluster": [
            "relay": "string", "isMember": "boolean", "acts": "boolean", "relays": "[ClusterRelay]",
            "sessions": "[ClusterSession]",
        ],
        "ClusterRelay": [
            "id": "string", "link": "string", "region": "string", "version": "string", "linkVersion?": "integer",
            "load": "number", "isDraining": "boolean", "isAlive": "boolean", "silence": "number",
        ],
        "ClusterSession": [
            "app": "string", "name": "string", "id": "string", "relay": "string", "term": "integer",
            "isAlive": "boolean",
        ],
        "DrainRequest": ["seconds": "integer", "url?": "string"],
        "IssuePage": ["issues": "[IssueEntry]", "next?": "string"],
        "IssueEntry": ["id": "string", "head": "IssueHead", "bytes": "integer"],
        "IssueHead": [
            "app": "string", "session": "string", "sessionID": "string", "connection": "string", "note?": "string",
            "reportedAt": "integer",
        ],
        "Layer": ["spatial?": "integer", "temporal?": "integer", "encodingId?": "string"],
    ]
}
