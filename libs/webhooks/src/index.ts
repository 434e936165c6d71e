export { holdMsMax, pauseBeforeRetryMs } from './retry-pause';
export { newWebhookSecret, signatureHeaders } from './sign-message';
export { slackBody } from './slack-body';
export { createWebhookSender, type WebhookOutcome, type WebhookSender } from './webhook-sender';
