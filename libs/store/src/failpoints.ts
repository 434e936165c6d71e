/**
 * Where a test may end the process: between the commits of work that takes several. `Failpoints` of `@sluice/config` implement it.
 * `st.after_whole`: some calls are settled and others of the same settlement are not. `st.after_join_round`: some records have joined a batch and
 * others of the same join have none. `st.after_end_round`: an installation is deleted, and calls of it may still wait. `st.after_erase_step`: some of
 * what a deleted project left is erased.
 */
export interface StoreFailpoints {
  hit(name: 'st.after_whole' | 'st.after_join_round' | 'st.after_end_round' | 'st.after_erase_step'): Promise<void>;
}

/** Everywhere but in tests. */
export const nowhere: StoreFailpoints = { hit: () => Promise.resolve() };
