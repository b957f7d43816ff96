export * from './app';
export * from './guest';
export * from './harvester';
export * from './late';
export * from './model';
export * from './rancher';
export * from './rules';
export * from './versions';
