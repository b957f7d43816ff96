export * from './app';
export * from './late';
export * from './model';
export * from './rules';
export * from './versions';
