// Programs that embed the relay import only RelayServer; frames and audio blocks of MediaBase are part of its
// interface.
@_exported public import MediaBase
