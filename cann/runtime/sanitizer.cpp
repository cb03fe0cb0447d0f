// What ThreadSanitizer must know in a build with -DNPU_SANITIZE=thread; empty otherwise.
#ifdef __SANITIZE_THREAD__

// oneTBB comes without instrumentation, so its hand-over of a task to a thread is invisible. What our threads share is
// ordered by our own atomics and locks (arena_team.cpp): nothing of ours is hidden by these lines.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:libtbb.so\n"
         "race:tbb::detail\n"
         "race:ArenaTeam::summon\n";
}

#endif
