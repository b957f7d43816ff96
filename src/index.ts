export * from './late';
export * from './model';
export * from './versions';
