// What the parts of the guest's only program share.
#pragma once

/** Says what failed and why, if anything did, and switches the machine off. */
void stop(const char *failed);

/** A mark of the recording: see mark.c. */
void mark(const char *name);

/** Serves `count` requests by HTTP, of which up to `backlog` wait at a time, and returns how many were answered. */
long web(long count, long backlog);

/** Echoes `count` datagrams of another kernel (server), or sends them (client), and returns how many were right. */
long pair(const char *role, long count);
