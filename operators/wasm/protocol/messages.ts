/**
 * Messages between devices and gateways. A frame is its length (4 bytes, big-endian) and a CBOR map
 * `{ version, messageId, message }`; messages are maps with a `type`.
 *
 *   device                                gateway
 *     │ ── TLS 1.3, both with certificates ─► │
 *     │ ── hello ───────────────────────────► │   key known?
 *     │ ◄── welcome, or pending ───────────── │
 *     │ ── heartbeat ───────────────────────► │
 *     │ ◄── deploy ────────────────────────── │
 *     │ ── need { offset } ─────────────────► │   only without the bytes; offset > 0 goes on after a disconnection
 *     │ ◄── chunk … ───────────────────────── │
 *     │ ── chunkReceived … ─────────────────► │   limits the chunks on the way
 *     │ ── result, later state ─────────────► │
 *
 * Ids of messages grow within a connection in each direction: an id that is not above the last one is a replay, and is ignored.
 */
import type { DeviceApplicationState, Deployment } from "../driver/driver.js";

export const protocolVersion = 1;
/** Longest frame: a chunk and its envelope fit in. */
export const maxFrameBytes = 1 << 17;
export const chunkBytes = 1 << 16;
/** Chunks that may be on the way without a confirmation. */
export const chunkWindow = 8;

export interface Frame<Message> {
  readonly version: number;
  readonly messageId: number;
  readonly message: Message;
}

export type DeviceMessage =
  | {
      readonly type: "hello";
      readonly agent: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly memory: number;
      readonly features: readonly string[];
      readonly applications: readonly DeviceApplicationState[];
    }
  | { readonly type: "heartbeat" }
  | { readonly type: "need"; readonly digest: string; readonly offset: number }
  | { readonly type: "chunkReceived"; readonly digest: string; readonly offset: number }
  | { readonly type: "result"; readonly of: number; readonly state: DeviceApplicationState }
  | { readonly type: "stopped"; readonly of: number; readonly application: string }
  | { readonly type: "state"; readonly state: DeviceApplicationState };

export type GatewayMessage =
  | { readonly type: "welcome"; readonly name: string; readonly heartbeatInterval: number }
  | { readonly type: "pending"; readonly text: string }
  | { readonly type: "heartbeatReceived" }
  | ({ readonly type: "deploy"; readonly size: number } & Omit<Deployment, "device">)
  | { readonly type: "chunk"; readonly digest: string; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly type: "stop"; readonly application: string };
