import { app } from './platform';

app.synth();
