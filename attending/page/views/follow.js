// follow.js: in the lab, the page follows the model that is trained around its frame.

addEventListener("message", ({source, data: news}) => {
  if (source !== parent || parent === window || !news?.weights) return; // another's frame
  for (const {step, loss, evaluated, rate} of news.rows)
    if (!log.length || step > log[log.length - 1][STEP]) log.push([step, loss, evaluated, rate]);
  data.floor = news.rows.at(-1)?.floor ?? data.floor;
  takeWeights(news.weights);
  showTraining();
  if (log.length > 1) showMoment();
});
