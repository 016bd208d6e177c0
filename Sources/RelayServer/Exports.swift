// A program that embeds the relay imports RelayServer alone: frames and audio blocks are part of its interface.
@_exported public import MediaBase
